/** The page over all nodes of a network: the drawing, one channel from both sides, the payments. */
import { useEffect, useMemo } from 'preact/hooks';
import { grouped } from '../../basics/digits.ts';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import { setLabels } from '../../page-parts/labels.ts';
import { UnitsSwitch } from '../../page-parts/units.tsx';
import { ChannelSides } from './channel-sides.tsx';
import { NetworkGraph } from './graph.tsx';
import { Payments } from './payments.tsx';
import { sheetFor } from './places.ts';
import { PlayForms } from './play/forms.tsx';
import { Logs } from './play/logs.tsx';
import { AddNode, NodeButtons } from './play/node-buttons.tsx';
import { type DevnetPlay, startPlay } from './play/play.ts';
import { PlaySaid } from './play/said.tsx';
import { type NetworkSelection, readSelection } from './selection.ts';
import { channelsOf } from './sides.ts';
import { readSite } from './site.ts';
import type { TimeWatch } from './time.ts';
import { TimeBar } from './time-bar.tsx';
import { type NetworkNode, watchNetwork } from './watch.ts';

/** `base`: with a slash at its end. */
export function NetworkPage({ base }: { base: string }) {
  const selection = useMemo(readSelection, []);
  const site = useMemo(() => readSite(base), []);
  const facts = site.facts.value;
  const problem = site.problem.value;
  if (facts === null) return problem === null ? null : <p role="alert">{problem}</p>;
  const { nodes, time } = facts;
  // When a simulated run starts again, everything that the page has read is out of date.
  const epoch = time?.view.value?.epoch ?? 0;
  return (
    <Network
      key={epoch}
      base={base}
      nodes={nodes}
      time={time}
      selection={selection}
      onMoreNodes={site.again}
    />
  );
}

type NetworkProps = {
  base: string;
  nodes: DevnetNodes;
  time: TimeWatch | null;
  selection: NetworkSelection;
  onMoreNodes(): void;
};

function Network({ base, nodes: all, time, selection, onMoreNodes }: NetworkProps) {
  useMemo(() => setLabels({ tokens: all.tokens, names: all.nodes }), [all]);
  const watch = useMemo(() => watchNetwork(base, all), []);
  useEffect(() => watch.end, []);
  const play = useMemo(() => (all.canPlay === true ? startPlay() : null), []);
  useEffect(() => play?.end, []);
  useEffect(() => watch.take(all), [all]);
  const nodes = watch.nodes.value;
  useMoreNodes(play, nodes.length, onMoreNodes);
  const channels = channelsOf(
    watch.views.value,
    nodes.map(({ name }) => name),
  );
  const answers = watch.answers.value;
  const away = new Set(nodes.flatMap(({ name }) => (answers.get(name) === false ? [name] : [])));
  const isAsking = answers.size < nodes.length;
  const open = channels.find(({ id }) => id === selection.channel.value) ?? channels[0];
  return (
    <>
      <a class="skip" href="#network">
        Skip to the network
      </a>
      <Header of={time === null ? 'devnet' : 'simulation'} watch={watch} />
      {time === null ? null : <TimeBar time={time} />}
      {time?.problem.value ? <p role="alert">{time.problem.value}</p> : null}
      <main id="network" class="network-main">
        <section
          aria-labelledby="graph-title"
          class={sheetFor(nodes.length).isWide ? 'network-wide' : ''}
        >
          <h2 id="graph-title">Network</h2>
          <NetworkGraph
            nodes={nodes}
            channels={channels}
            away={away}
            isAsking={isAsking}
            flows={watch.flows.value}
            chosen={open?.id ?? null}
            onChoose={(channel) => selection.choose({ channel })}
            onDrawn={play?.draw}
          />
          <NodeList nodes={nodes} away={away} play={play} />
          {play === null ? null : <AddNode play={play} />}
        </section>
        <section aria-labelledby="sides-title">
          <h2 id="sides-title">Channel, from both sides</h2>
          {open === undefined ? (
            <p>
              {isAsking
                ? 'Asking the nodes …'
                : `There is no channel yet. Open one ${play === null ? 'over the API of a node' : 'below'}.`}
            </p>
          ) : (
            <ChannelSides channel={open} nodes={nodes} play={play} />
          )}
        </section>
        {play === null ? null : (
          <section aria-labelledby="play-title" class="network-wide">
            <h2 id="play-title">Try it</h2>
            <PlayForms play={play} nodes={play.view.value?.nodes ?? []} tokens={all.tokens} />
            <PlaySaid play={play} />
          </section>
        )}
        <section aria-labelledby="payments-title" class="network-wide">
          <h2 id="payments-title">Payments</h2>
          <Payments
            payments={watch.payments.value}
            nodes={nodes}
            isAsking={isAsking}
            selection={selection}
          />
        </section>
        {play === null ? null : <Logs names={play.view.value?.logs ?? []} />}
      </main>
    </>
  );
}

/** Tells when this reader, or somebody else, has added a node. `known`: how many nodes the page has. */
function useMoreNodes(play: DevnetPlay | null, known: number, onMoreNodes: () => void): void {
  const running = play?.view.value?.nodes.length ?? 0;
  useEffect(() => {
    if (running > known) onMoreNodes();
  }, [running > known]);
}

function Header({ of, watch }: { of: string; watch: ReturnType<typeof watchNetwork> }) {
  return (
    <header class="network-header">
      <h1>sluice {of}</h1>
      <p role="status">
        {watch.block.value === null ? '' : `block #${grouped(watch.block.value)} · `}
        {watch.isLive.value ? '● live' : '○ reconnecting …'}
      </p>
      <UnitsSwitch />
    </header>
  );
}

type NodeListProps = {
  nodes: readonly NetworkNode[];
  away: ReadonlySet<string>;
  play: DevnetPlay | null;
};

function NodeList({ nodes, away, play }: NodeListProps) {
  return (
    <ul class="network-nodes" aria-label="Nodes">
      {nodes.map(({ name, address, base }) => (
        <li key={name}>
          <a href={`${base}#/actors`}>{name}</a> <code title={address}>{shortId(address)}</code>
          {away.has(name) ? <strong class="network-away"> ✕ does not answer</strong> : null}
          {play === null ? null : <NodeButtons play={play} name={name} />}
        </li>
      ))}
    </ul>
  );
}
