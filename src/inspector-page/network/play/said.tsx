/** The requests that the buttons made, as lines for a shell, with what became of them. */
import { Copy } from '../../../page-parts/copy.tsx';
import type { DevnetPlay } from './play.ts';

export function PlaySaid({ play }: { play: DevnetPlay }) {
  const said = play.said.value;
  if (said.length === 0) return null;
  return (
    <ol class="play-said" aria-label="What was done">
      {said.map(({ id, curl, answer, body, isGood }) => (
        <li key={id}>
          <Copy label="command" text={curl} shown={curl} />
          <p role="status" class={isGood ? '' : 'mark-danger'}>
            {answer ?? 'waiting for the answer …'}
          </p>
          {body !== null && (
            <details>
              <summary>The answer</summary>
              <pre>{body}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
