/** Whether what the page shows is what the node is now. */
import type { NodeConnection } from './connection.ts';

const CONNECTIONS: Record<NodeConnection, { mark: string; text: string; title: string }> = {
  connecting: { mark: '◌', text: 'Connecting', title: 'The node has not answered yet.' },
  live: { mark: '●', text: 'Live', title: 'What is shown is what the node is now.' },
  reconnecting: {
    mark: '◐',
    text: 'Reconnecting',
    title: 'The node does not answer. What is shown is what it was last.',
  },
  lost: {
    mark: '○',
    text: 'Lost',
    title: 'The node has not answered for a while. The page goes on by itself when it is back.',
  },
  token: { mark: '◇', text: 'Token needed', title: 'The node answers only to those with a token.' },
};

export function ConnectionMark({ connection }: { connection: NodeConnection }) {
  const { mark, text, title } = CONNECTIONS[connection];
  return (
    <p class="connection" role="status" data-connection={connection} title={title}>
      <span aria-hidden="true">{mark}</span> {text}
    </p>
  );
}
