/**
 * All nodes of a network, live: their channels from both sides, their payments, and the messages between them.
 * Everything is read from the devnet's own address, which forwards it to the nodes.
 */
import { type Signal, signal } from '@preact/signals';
import { isStep } from '../../inspector/answers.ts';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { TAGGED } from '../../inspector/replay/plain-numbers.ts';
import { createSource, type InspectorSource } from '../../inspector/source.ts';
import type { ActorView, ListedActor, StepRecords } from '../../inspector/wire.ts';
import { decode } from '../../store/base/codec.ts';
import { fieldOf, textAt } from '../base/fields.ts';
import { flowsOf, type MessageFlow } from './flows.ts';

export type NetworkNode = DevnetNodes['nodes'][number] & { source: InspectorSource };
export type NodePayment = { node: string; row: ListedActor };
export type NetworkWatch = {
  nodes: Signal<readonly NetworkNode[]>;
  /** By the channel's id, then by the name of the node. */
  views: Signal<ReadonlyMap<string, ReadonlyMap<string, ActorView>>>;
  /** Payments that the nodes started, the newest first. */
  payments: Signal<readonly NodePayment[]>;
  /** The newest messages that were sent since the page was opened. */
  flows: Signal<readonly MessageFlow[]>;
  /** The newest block of any node; null until one has answered. */
  block: Signal<bigint | null>;
  isLive: Signal<boolean>;
  /**
   * By the name of the node: whether it answered the last request; a node without an answer or failure yet is
   * missing.
   */
  answers: Signal<ReadonlyMap<string, boolean>>;
  /** Follows these nodes as well, if they are new. */
  take(all: DevnetNodes): void;
  /** Stops reading. */
  end(): void;
};
type Watched = Omit<NetworkWatch, 'take' | 'end'>;

const REFRESH_MS = 120;
/** Milliseconds between two checks whether a node is there. */
const LOOK_MS = 3_000;
const MOST_FLOWS = 200;
const MOST_PAYMENTS = 100;

/** `base`: with a slash at its end. */
export function watchNetwork(base: string, { nodes }: DevnetNodes): NetworkWatch {
  const sourced = (node: DevnetNodes['nodes'][number]) => ({
    ...node,
    source: createSource(`${base}${node.base}`),
  });
  const watch: Watched = {
    nodes: signal(nodes.map(sourced)),
    views: signal(new Map()),
    payments: signal([]),
    flows: signal([]),
    block: signal(null),
    isLive: signal(false),
    answers: signal(new Map()),
  };
  const { again, end } = follow(watch, base);
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
function follow(watch: Watched, base: string): { again(): void; end(): void } {
  const refresh = createRefresh(watch);
  const everything = () => {
    for (const node of watch.nodes.value) refresh.node(node);
  };
  const open = () => {
    const events = new EventSource(`${base}events?${new URLSearchParams(TAGGED)}`);
    events.addEventListener('open', () => {
      watch.isLive.value = true;
      everything();
    });
    events.addEventListener('error', () => {
      watch.isLive.value = false;
    });
    events.addEventListener('step', ({ data }: MessageEvent<string>) => {
      const message = decode(data);
      const name = textAt(message, 'node');
      const step = fieldOf(message, 'step');
      const node = watch.nodes.value.find((candidate) => candidate.name === name);
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

type Refresh = ReturnType<typeof createRefresh>;

function take(watch: Watched, refresh: Refresh, node: NetworkNode, step: StepRecords): void {
  const [first] = step;
  if (first === undefined) return;
  if (watch.block.value === null || first.block > watch.block.value)
    watch.block.value = first.block;
  const flows = flowsOf(node.name, step);
  if (flows.length > 0) watch.flows.value = [...watch.flows.value, ...flows].slice(-MOST_FLOWS);
  if (step.some(({ kind }) => kind === 'gap')) refresh.node(node);
  if (first.actor.startsWith('channel:')) refresh.channel(node, first.actor);
  if (first.actor.startsWith('initiator:')) refresh.payments(node);
}

/** Reads again what has changed, once for many changes. */
function createRefresh(watch: Watched) {
  /** Keys that will be read soon or are being read; true: changed again since the request. */
  const waiting = new Map<string, boolean>();

  /** Never runs the same request twice at a time: otherwise busy nodes would never get to an answer. */
  function soon(key: string, work: () => Promise<void>): void {
    const isAsked = waiting.has(key);
    waiting.set(key, isAsked);
    if (!isAsked) setTimeout(() => void ask(key, work), REFRESH_MS);
  }

  async function ask(key: string, work: () => Promise<void>): Promise<void> {
    waiting.set(key, false);
    const answered = work().catch(() => {
      // When a node comes back, the stream shows it, and everything is read again.
    });
    await Promise.all([answered, new Promise((resolve) => void setTimeout(resolve, REFRESH_MS))]);
    if (waiting.get(key) === true) return ask(key, work);
    waiting.delete(key);
  }

  async function channel({ name, source }: NetworkNode, id: string): Promise<void> {
    const view = await source.read('actor', `actors/${encodeURIComponent(id)}`);
    const views = new Map(watch.views.value);
    views.set(id, new Map(views.get(id)).set(name, view));
    watch.views.value = views;
    if (watch.block.value === null || view.block > watch.block.value)
      watch.block.value = view.block;
  }

  async function payments({ name, source }: NetworkNode): Promise<void> {
    const { actors } = await source.read('actors', 'actors', { machine: 'initiator', ended: '1' });
    const others = watch.payments.value.filter(({ node }) => node !== name);
    watch.payments.value = [...actors.map((row) => ({ node: name, row })), ...others].slice(
      0,
      MOST_PAYMENTS,
    );
  }

  function note({ name }: NetworkNode, isThere: boolean): void {
    if (watch.answers.value.get(name) === isThere) return;
    watch.answers.value = new Map(watch.answers.value).set(name, isThere);
  }

  /** Checks whether the node answers. From a node that comes back everything is read again. */
  async function presence(node: NetworkNode): Promise<void> {
    const wasAway = watch.answers.value.get(node.name) === false;
    try {
      await node.source.read('actors', 'actors', { machine: 'node' });
      if (wasAway) await all(node);
    } catch {
      note(node, false);
    }
  }

  async function all(node: NetworkNode): Promise<void> {
    const { actors } = await node.source.read('actors', 'actors', { machine: 'channel' });
    await Promise.all(actors.map(({ actor }) => channel(node, actor)));
    await payments(node);
    note(node, true);
  }

  return {
    node: (node: NetworkNode) => soon(node.name, () => all(node)),
    presence: (node: NetworkNode) => soon(`${node.name} there`, () => presence(node)),
    channel: (node: NetworkNode, id: string) => soon(`${node.name} ${id}`, () => channel(node, id)),
    payments: (node: NetworkNode) => soon(`${node.name} payments`, () => payments(node)),
  };
}
