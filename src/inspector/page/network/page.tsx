/** The page over all nodes of a network: what it is, one channel from both sides, the payments. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { grouped } from '../../../protocol/digits.ts';
import type { DevnetNodes } from '../../wire.ts';
import { shortId } from '../digits.ts';
import { UnitsSwitch } from '../frame/units.tsx';
import { setLabels } from '../labels.ts';
import { ChannelSides } from './channel-sides.tsx';
import { NetworkGraph } from './graph.tsx';
import { Payments } from './payments.tsx';
import { sheetFor } from './places.ts';
import { channelsOf } from './sides.ts';
import { readSite } from './site.ts';
import type { TimeWatch } from './time.ts';
import { TimeBar } from './time-bar.tsx';
import { type NetworkNode, watchNetwork } from './watch.ts';

/** `base`: with a slash at its end. */
export function NetworkPage({ base }: { base: string }) {
  const chosen = useMemo(() => signal<string | null>(null), []);
  const site = useMemo(() => readSite(base), []);
  const facts = site.facts.value;
  const problem = site.problem.value;
  if (facts === null) return problem === null ? null : <p role="alert">{problem}</p>;
  const { nodes, time } = facts;
  // A run that began anew knows nothing of what the page has read of the one before.
  const epoch = time?.view.value?.epoch ?? 0;
  return <Network key={epoch} {...{ base, nodes, time, chosen }} />;
}

type NetworkProps = {
  base: string;
  nodes: DevnetNodes;
  time: TimeWatch | null;
  chosen: Signal<string | null>;
};

function Network({ base, nodes: all, time, chosen }: NetworkProps) {
  useMemo(() => setLabels({ tokens: all.tokens, names: all.nodes }), []);
  const watch = useMemo(() => watchNetwork(base, all), []);
  useEffect(() => watch.end, []);
  const nodes = watch.nodes.value;
  const channels = channelsOf(
    watch.views.value,
    nodes.map(({ name }) => name),
  );
  const answers = watch.answers.value;
  const away = new Set(nodes.flatMap(({ name }) => (answers.get(name) === false ? [name] : [])));
  const isAsking = answers.size < nodes.length;
  const open = channels.find(({ id }) => id === chosen.value) ?? channels[0];
  return (
    <>
      <a class="skip" href="#network">
        Skip to the network
      </a>
      <header class="network-header">
        <h1>sluice {time === null ? 'devnet' : 'simulation'}</h1>
        <p role="status">
          {watch.block.value === null ? '' : `block #${grouped(watch.block.value)} · `}
          {watch.isLive.value ? '● live' : '○ reconnecting …'}
        </p>
        <UnitsSwitch />
      </header>
      {time === null ? null : <TimeBar time={time} />}
      {time?.problem.value ? <p role="alert">{time.problem.value}</p> : null}
      <main id="network" class="network-main">
        <section
          aria-labelledby="graph-title"
          class={sheetFor(nodes.length).isWide ? 'network-wide' : ''}
        >
          <h2 id="graph-title">Network</h2>
          <NetworkGraph
            {...{ nodes, channels, away, isAsking, flows: watch.flows.value }}
            chosen={open?.id ?? null}
            onChoose={(id) => {
              chosen.value = id;
            }}
          />
          <NodeList nodes={nodes} away={away} />
        </section>
        <section aria-labelledby="sides-title">
          <h2 id="sides-title">Channel, from both sides</h2>
          {open === undefined ? (
            <p>
              {isAsking
                ? 'Asking the nodes …'
                : 'There is no channel yet. Open one over the API of a node.'}
            </p>
          ) : (
            <ChannelSides channel={open} nodes={nodes} />
          )}
        </section>
        <section aria-labelledby="payments-title" class="network-wide">
          <h2 id="payments-title">Payments</h2>
          <Payments payments={watch.payments.value} nodes={nodes} isAsking={isAsking} />
        </section>
      </main>
    </>
  );
}

type NodeListProps = { nodes: readonly NetworkNode[]; away: ReadonlySet<string> };

function NodeList({ nodes, away }: NodeListProps) {
  return (
    <ul class="network-nodes" aria-label="Nodes">
      {nodes.map(({ name, address, base }) => (
        <li key={name}>
          <a href={`${base}#/fleet`}>{name}</a> <code title={address}>{shortId(address)}</code>
          {away.has(name) ? <strong class="network-away"> ✕ does not answer</strong> : null}
        </li>
      ))}
    </ul>
  );
}
