/**
 * All nodes of a network, live: their channels from both sides, their payments, and the messages between them.
 * Everything is read from the devnet's own address, which forwards it to the nodes.
 */
import { signal } from '@preact/signals';
import { isStep } from '../../inspector/answers.ts';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { TAGGED } from '../../inspector/replay/plain-numbers.ts';
import { createSource } from '../../inspector/source.ts';
import type { StepRecords } from '../../inspector/wire.ts';
import { decode } from '../../store/base/codec.ts';
import { fieldOf, textAt } from '../base/fields.ts';
import { flowsOf } from './flows.ts';
import { createRefresh, type Refresh } from './refresh.ts';
import type { NetworkNode, NetworkWatch, Watched } from './watched.ts';

/** Milliseconds between two checks whether a node is there, and at which block it is. */
const LOOK_MS = 1_500;
const MOST_FLOWS = 200;

/** `base`: with a slash at its end. `onPresence`: called when a node has gone or come. */
export function watchNetwork(
  base: string,
  { nodes }: DevnetNodes,
  onPresence: () => void,
): NetworkWatch {
  const sourced = (node: DevnetNodes['nodes'][number]) => ({
    ...node,
    source: createSource(`${base}${node.base}`),
  });
  const watch: Watched = {
    nodes: signal(nodes.map(sourced)),
    views: signal(new Map()),
    openings: signal(new Map()),
    payments: signal(new Map()),
    flows: signal([]),
    block: signal(null),
    isLive: signal(false),
    answers: signal(new Map()),
  };
  const { again, end } = follow(watch, base, onPresence);
  return {
    ...watch,
    end,
    take(all) {
      const known = watch.nodes.value;
      const added = all.nodes.filter(({ name }) => known.every((node) => node.name !== name));
      if (added.length === 0) return;
      watch.nodes.value = [...known, ...added.map(sourced)];
      again();
    },
  };
}

/** Follows the stream until `end` is called; `again` opens it anew, with nodes that have come. */
function follow(watch: Watched, base: string, onPresence: () => void) {
  const refresh = createRefresh(watch);
  const nodeIn = (message: unknown) => {
    const name = textAt(message, 'node');
    return watch.nodes.value.find((candidate) => candidate.name === name);
  };
  const open = () => {
    const events = new EventSource(`${base}events?${new URLSearchParams(TAGGED)}`);
    events.addEventListener('open', () => {
      watch.isLive.value = true;
      for (const node of watch.nodes.value) refresh.node(node);
    });
    events.addEventListener('error', () => {
      watch.isLive.value = false;
    });
    events.addEventListener('presence', ({ data }: MessageEvent<string>) => {
      const message = decode(data);
      const node = nodeIn(message);
      if (node === undefined) return;
      if (fieldOf(message, 'isThere') === true) refresh.node(node);
      else refresh.gone(node);
      onPresence();
    });
    events.addEventListener('step', ({ data }: MessageEvent<string>) => {
      const message = decode(data);
      const node = nodeIn(message);
      const step = fieldOf(message, 'step');
      if (node !== undefined && isStep(step)) take(watch, refresh, node, step);
    });
    return events;
  };
  let events = open();
  const looking = setInterval(() => {
    for (const node of watch.nodes.value) refresh.presence(node);
  }, LOOK_MS);
  return {
    again() {
      events.close();
      events = open();
    },
    end() {
      clearInterval(looking);
      events.close();
    },
  };
}

function take(watch: Watched, refresh: Refresh, node: NetworkNode, step: StepRecords): void {
  const [first] = step;
  if (first === undefined) return;
  refresh.noteStep(node, first.seq);
  if (watch.block.value === null || first.block > watch.block.value)
    watch.block.value = first.block;
  const flows = flowsOf(node.name, step);
  if (flows.length > 0) watch.flows.value = [...watch.flows.value, ...flows].slice(-MOST_FLOWS);
  if (step.some(({ kind }) => kind === 'gap')) refresh.node(node);
  if (first.actor.startsWith('channel:')) refresh.channel(node, first.actor);
  if (first.actor.startsWith('tokenNetwork:')) refresh.openings(node, first.actor);
  if (first.actor.startsWith('initiator:')) refresh.payments(node);
}
