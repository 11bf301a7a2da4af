/** The bar above every view: the node's name, the state of the connection, links through the page, and what is bad. */
import type { ComponentChildren } from 'preact';
import type { NodeFacts } from '../../inspector/wire.ts';
import type { NodeConnection } from '../../page-parts/connection.ts';
import { ConnectionMark } from '../../page-parts/connection-mark.tsx';
import { BarFacts, Fact } from '../../page-parts/node-facts.tsx';
import { ThemeSwitch } from '../../page-parts/theme.tsx';
import { Troubles } from '../../page-parts/troubles.tsx';
import { UnitsSwitch } from '../../page-parts/units.tsx';
import { pageHash } from '../base/router.ts';

type HeaderProps = {
  facts: NodeFacts | null;
  connection: NodeConnection;
  onHelp(): void;
  /** The search box. */
  children: ComponentChildren;
};

export function InspectorHeader({ facts, connection, onHelp, children }: HeaderProps) {
  return (
    <>
      <header class="bar">
        <a class="brand" href={pageHash({ view: 'home' })}>
          sluice <span>inspector</span>
        </a>
        <BarFacts facts={facts}>
          <Fact name="Chain">{facts === null ? '…' : `${facts.chainId}`}</Fact>
        </BarFacts>
        <ConnectionMark connection={connection} />
        {children}
        <UnitsSwitch />
        <ThemeSwitch />
        <button type="button" class="plain" onClick={onHelp} aria-label="Keys of the page">
          ?
        </button>
      </header>
      <Troubles troubles={facts?.troubles ?? []} />
    </>
  );
}
