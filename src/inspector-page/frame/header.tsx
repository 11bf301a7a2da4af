/** The bar above every view: the node's name, the state of the connection, and links through the page. */
import type { ComponentChildren } from 'preact';
import type { NodeFacts } from '../../inspector/wire.ts';
import { shortId } from '../digits.ts';
import { isNamed, personName } from '../labels.ts';
import type { Connection } from '../live/connection.ts';
import { hashOf } from '../router.ts';
import { Copy } from './copy.tsx';
import { ThemeSwitch } from './theme.tsx';
import { UnitsSwitch } from './units.tsx';

type HeaderProps = {
  facts: NodeFacts | null;
  connection: Connection;
  onHelp(): void;
  /** The search box. */
  children: ComponentChildren;
};

const CONNECTIONS: Record<Connection, { mark: string; text: string; title: string }> = {
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

export function Header({ facts, connection, onHelp, children }: HeaderProps) {
  const { mark, text, title } = CONNECTIONS[connection];
  return (
    <header class="bar">
      <a class="brand" href={hashOf({ view: 'actors' })}>
        sluice <span>inspector</span>
      </a>
      <dl class="facts">
        <div>
          <dt>Node</dt>
          <dd>
            {facts === null ? (
              '…'
            ) : (
              <>
                {isNamed(facts.address) && <strong>{personName(facts.address)} </strong>}
                <Copy label="address" text={facts.address} shown={shortId(facts.address)} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Chain</dt>
          <dd>{facts === null ? '…' : `${facts.chainId}`}</dd>
        </div>
        <div>
          <dt>Block</dt>
          <dd class="block">{facts === null ? '…' : `#${facts.block}`}</dd>
        </div>
      </dl>
      <p class="connection" role="status" data-connection={connection} title={title}>
        <span aria-hidden="true">{mark}</span> {text}
      </p>
      {children}
      <UnitsSwitch />
      <ThemeSwitch />
      <button type="button" class="plain" onClick={onHelp} aria-label="Keys of the page">
        ?
      </button>
    </header>
  );
}
