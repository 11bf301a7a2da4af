/** The page over all nodes of a network: the drawing, one channel from both sides, the payments. */
import { useEffect, useMemo } from 'preact/hooks';
import { grouped } from '../../basics/digits.ts';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import { Copy } from '../../page-parts/copy.tsx';
import { figureOf } from '../../page-parts/figure.ts';
import { setLabels } from '../../page-parts/labels.ts';
import { UnitsSwitch } from '../../page-parts/units.tsx';
import { ChannelSides } from './channel-sides.tsx';
import { NetworkGraph } from './graph.tsx';
import { Payments } from './payments.tsx';
import { isWide } from './places.ts';
import { PlayForms } from './play/forms.tsx';
import { Logs } from './play/logs.tsx';
import { NetworkFileButtons } from './play/network-file.tsx';
import { AddNode, NodeButtons, NodeLinks } from './play/node-buttons.tsx';
import { type DevnetPlay, startPlay } from './play/play.ts';
import { PlaySaid } from './play/said.tsx';
import { type NetworkSelection, readSelection } from './selection.ts';
import { channelsOf, type SeenChannel } from './sides.ts';
import { readSite } from './site.ts';
import type { TimeWatch } from './time.ts';
import { TimeBar } from './time-bar.tsx';
import { watchNetwork } from './watch.ts';
import type { NetworkNode } from './watched.ts';
import { blocksToSettle } from './wires.ts';

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
  const play = useMemo(() => (all.canPlay === true ? startPlay() : null), []);
  const watch = useMemo(() => watchNetwork(base, all, () => play?.look()), []);
  useEffect(() => watch.end, []);
  useEffect(() => play?.end, []);
  useEffect(() => watch.take(all), [all]);
  const nodes = watch.nodes.value;
  useMoreNodes(play, nodes.length, onMoreNodes);
  const answers = watch.answers.value;
  const away = awayOf(nodes, answers, { play, time });
  const channels = channelsOf(watch.views.value, nodes, away);
  useOrderedChannel(play, channels, selection);
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
        <section aria-labelledby="graph-title" class={isWide(nodes.length) ? 'network-wide' : ''}>
          <h2 id="graph-title">Network</h2>
          <NetworkGraph
            nodes={nodes}
            channels={channels}
            away={away}
            isAsking={isAsking}
            block={watch.block.value ?? 0n}
            flows={watch.flows.value}
            chosen={open?.id ?? null}
            onChoose={(channel) => selection.choose({ channel })}
            play={play}
            tokens={all.tokens}
            openings={[...watch.openings.value.values()]
              .flat()
              .filter(({ node }) => !away.has(node))}
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
                : `There is no channel yet. ${play === null ? 'Open one over the API of a node.' : 'Draw a line between two nodes.'}`}
            </p>
          ) : (
            <ChannelSides channel={open} nodes={nodes} play={play} />
          )}
        </section>
        {play === null ? null : (
          <TryIt
            play={play}
            tokens={all.tokens}
            untilSettled={blocksToSettle(channels, watch.block.value ?? 0n)}
          />
        )}
        <section aria-labelledby="payments-title" class="network-wide">
          <h2 id="payments-title">Payments</h2>
          <Payments
            byNode={watch.payments.value}
            nodes={nodes}
            away={away}
            isAsking={isAsking}
            selection={selection}
          />
        </section>
        {play === null ? null : <Logs names={play.view.value?.logs ?? []} />}
      </main>
    </>
  );
}

type TryProps = {
  play: DevnetPlay;
  tokens: DevnetNodes['tokens'];
  untilSettled: number | null;
};

function TryIt({ play, tokens, untilSettled }: TryProps) {
  const nodes = play.view.value?.nodes ?? [];
  return (
    <section aria-labelledby="play-title" class="network-wide">
      <h2 id="play-title">Try it</h2>
      <PlayForms play={play} nodes={nodes} tokens={tokens} untilSettled={untilSettled} />
      <NetworkFileButtons play={play} />
      <PlaySaid play={play} />
    </section>
  );
}

/** The names of nodes that do not answer, or of whom is known that they do not run. */
function awayOf(
  nodes: readonly NetworkNode[],
  answers: ReadonlyMap<string, boolean>,
  { play, time }: { play: DevnetPlay | null; time: TimeWatch | null },
): ReadonlySet<string> {
  const down = new Set(time?.view.value?.down ?? []);
  for (const { name, isRunning } of play?.view.value?.nodes ?? []) if (!isRunning) down.add(name);
  const isAway = ({ name }: NetworkNode) => answers.get(name) === false || down.has(name);
  return new Set(nodes.filter(isAway).map(({ name }) => name));
}

/** Tells when this reader, or somebody else, has added a node. `known`: how many nodes the page has. */
function useMoreNodes(play: DevnetPlay | null, known: number, onMoreNodes: () => void): void {
  const running = play?.view.value?.nodes.length ?? 0;
  useEffect(() => {
    if (running > known) onMoreNodes();
  }, [running > known]);
}

/** Chooses the channel that a drawn line has opened, as soon as one of its nodes has it. */
function useOrderedChannel(
  play: DevnetPlay | null,
  channels: readonly SeenChannel[],
  selection: NetworkSelection,
): void {
  const ends = play?.ordered.value ?? null;
  const made = channels.find(
    ({ sides, parties }) =>
      sides.every(({ view }) => view.row.state.startsWith('opened')) &&
      parties.every(({ name }) => name === ends?.from || name === ends?.to),
  );
  useEffect(() => {
    if (play === null || made === undefined) return;
    play.ordered.value = null;
    selection.choose({ channel: made.id });
  }, [made?.id]);
}

function Header({ of, watch }: { of: string; watch: ReturnType<typeof watchNetwork> }) {
  return (
    <header class="network-header">
      <h1>sluice {of}</h1>
      <p role="status">
        {watch.block.value === null ? null : (
          <span {...figureOf({ of: 'network/block', value: watch.block.value, unit: 'block' })}>
            block #{grouped(watch.block.value)}
          </span>
        )}
        {watch.block.value === null ? '' : ' · '}
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
  // The buttons say it.
  const isStopped = (name: string) =>
    play?.view.value?.nodes.some((node) => node.name === name && !node.isRunning) === true;
  return (
    <ul class={`network-nodes${play === null ? '' : ' network-played'}`} aria-label="Nodes">
      {nodes.map(({ name, address, base }) => (
        <li
          key={name}
          {...figureOf({
            of: `${name}/presence`,
            value: away.has(name) ? 'away' : 'there',
            unit: 'word',
          })}
        >
          <a href={`${base}#/actors`}>{name}</a>{' '}
          <Copy label={`address of ${name}`} text={address} shown={shortId(address)} />
          <NodeLinks name={name} play={play} />
          {away.has(name) && !isStopped(name) ? (
            <strong class="network-away"> ✕ does not answer</strong>
          ) : null}
          {play === null ? null : <NodeButtons play={play} name={name} />}
        </li>
      ))}
    </ul>
  );
}
