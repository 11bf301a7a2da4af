/** The page over all nodes of a devnet: the network, one channel from both sides, the payments. */
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { grouped } from '../../../protocol/digits.ts';
import { shortId } from '../digits.ts';
import { ChannelSides } from './channel-sides.tsx';
import { NetworkGraph } from './graph.tsx';
import { Payments } from './payments.tsx';
import { channelsOf } from './sides.ts';
import type { NetworkNode, NetworkWatch } from './watch.ts';

export function NetworkPage({ watch }: { watch: NetworkWatch }) {
  const chosen = useMemo(() => signal<string | null>(null), []);
  const nodes = watch.nodes.value;
  const channels = channelsOf(
    watch.views.value,
    nodes.map(({ name }) => name),
  );
  const open = channels.find(({ id }) => id === chosen.value) ?? channels[0];
  return (
    <>
      <a class="skip" href="#network">
        Skip to the network
      </a>
      <header class="network-header">
        <h1>sluice devnet</h1>
        <p role="status">
          {watch.block.value === null ? '' : `block #${grouped(watch.block.value)} · `}
          {watch.isLive.value ? '● live' : '○ reconnecting …'}
        </p>
      </header>
      {watch.problem.value === null ? null : <p role="alert">{watch.problem.value}</p>}
      <main id="network" class="network-main">
        <section aria-labelledby="graph-title">
          <h2 id="graph-title">Network</h2>
          <NetworkGraph
            {...{ nodes, channels, flows: watch.flows.value, tokens: watch.tokens.value }}
            chosen={open?.id ?? null}
            onChoose={(id) => {
              chosen.value = id;
            }}
          />
          <NodeList nodes={nodes} />
        </section>
        <section aria-labelledby="sides-title">
          <h2 id="sides-title">Channel, from both sides</h2>
          {open === undefined ? (
            <p>There is no channel yet. Open one over the API of a node.</p>
          ) : (
            <ChannelSides channel={open} nodes={nodes} tokens={watch.tokens.value} />
          )}
        </section>
        <section aria-labelledby="payments-title" class="network-wide">
          <h2 id="payments-title">Payments</h2>
          <Payments payments={watch.payments.value} nodes={nodes} />
        </section>
      </main>
    </>
  );
}

function NodeList({ nodes }: { nodes: readonly NetworkNode[] }) {
  return (
    <ul class="network-nodes" aria-label="Nodes">
      {nodes.map(({ name, address, base }) => (
        <li key={name}>
          <a href={`${base}#/fleet`}>{name}</a> <code title={address}>{shortId(address)}</code>
        </li>
      ))}
    </ul>
  );
}
