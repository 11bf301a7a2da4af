/** Reads again what has changed at the nodes of a network, once for many changes. */
import type { ActorView } from '../../inspector/wire.ts';
import { bigintAt, fieldOf, textAt } from '../base/fields.ts';
import type { NetworkNode, NodePayment, Opening, Watched } from './watched.ts';

const REFRESH_MS = 120;
/** Of each node; together with those that are under way. */
const MOST_ENDED = '50';
const MOST_PAYMENTS = 100;

export type Refresh = ReturnType<typeof createRefresh>;

export function createRefresh(watch: Watched) {
  const soon = createSoon();
  const look = createLook(watch);

  function note({ name }: NetworkNode, isThere: boolean): void {
    if (watch.answers.value.get(name) === isThere) return;
    watch.answers.value = new Map(watch.answers.value).set(name, isThere);
  }

  /** By node: the newest step that the page has read or been told. */
  const newest = new Map<string, number>();
  /** Nodes whose steps had not come when they were looked at last. */
  const late = new Set<string>();

  function noteStep({ name }: NetworkNode, seq: number): void {
    newest.set(name, Math.max(seq, newest.get(name) ?? 0));
  }

  /** What the page knows of a node that is not listed any more is gone with it. */
  async function all(node: NetworkNode): Promise<void> {
    const { actors, block, seq } = await node.source.read('actors', 'actors', {
      machine: 'channel,tokenNetwork',
    });
    look.block(block);
    newest.set(node.name, seq);
    const ids = (machine: string) =>
      actors.flatMap((row) => (row.machine === machine ? row.actor : []));
    const channels = ids('channel');
    look.forgetOthers(node, channels);
    await Promise.all([
      ...channels.map((id) => look.channel(node, id)),
      ...ids('tokenNetwork').map((id) => look.openings(node, id)),
      look.payments(node),
    ]);
    note(node, true);
  }

  /**
   * Checks whether the node answers, and at which step it is. From a node that comes back, or whose steps have not come by
   * the stream between two looks, everything is read again: a page must not show the past because a stream is slow.
   */
  async function presence(node: NetworkNode): Promise<void> {
    const wasAway = watch.answers.value.get(node.name) === false;
    try {
      const { block, seq } = await node.source.read('node', 'node');
      look.block(block);
      const isBehind = seq > (newest.get(node.name) ?? 0);
      const isLate = isBehind && late.delete(node.name);
      if (isBehind && !isLate) late.add(node.name);
      if (!isBehind) late.delete(node.name);
      if (wasAway || isLate) await all(node);
    } catch {
      note(node, false);
    }
  }

  return {
    gone: (node: NetworkNode) => note(node, false),
    noteStep,
    node: (node: NetworkNode) => soon(node.name, () => all(node)),
    presence: (node: NetworkNode) => soon(`${node.name} there`, () => presence(node)),
    channel: (node: NetworkNode, id: string) =>
      soon(`${node.name} ${id}`, () => look.channel(node, id)),
    openings: (node: NetworkNode, id: string) =>
      soon(`${node.name} ${id}`, () => look.openings(node, id)),
    payments: (node: NetworkNode) => soon(`${node.name} payments`, () => look.payments(node)),
  };
}

/** Never runs the same request twice at a time: otherwise busy nodes would never get to an answer. */
function createSoon() {
  /** Keys that will be read soon or are being read; true: changed again since the request. */
  const waiting = new Map<string, boolean>();

  async function ask(key: string, work: () => Promise<void>): Promise<void> {
    waiting.set(key, false);
    const answered = work().catch(() => {
      // When a node comes back, the stream shows it, and everything is read again.
    });
    await Promise.all([answered, new Promise((resolve) => void setTimeout(resolve, REFRESH_MS))]);
    if (waiting.get(key) === true) return ask(key, work);
    waiting.delete(key);
  }

  return (key: string, work: () => Promise<void>): void => {
    const isAsked = waiting.has(key);
    waiting.set(key, isAsked);
    if (!isAsked) setTimeout(() => void ask(key, work), REFRESH_MS);
  };
}

function createLook(watch: Watched) {
  function block(seen: bigint): void {
    if (watch.block.value === null || seen > watch.block.value) watch.block.value = seen;
  }

  function noteView(id: string, name: string, view: ActorView | null): void {
    const byNode = new Map(watch.views.value.get(id));
    if (view === null) byNode.delete(name);
    else byNode.set(name, view);
    watch.views.value = new Map(watch.views.value).set(id, byNode);
  }

  return {
    block,
    forgetOthers({ name }: NetworkNode, kept: readonly string[]): void {
      for (const [id, byNode] of watch.views.value)
        if (byNode.has(name) && !kept.includes(id)) noteView(id, name, null);
    },
    /** A channel of which nothing is left on chain is none any more. */
    async channel({ name, source }: NetworkNode, id: string): Promise<void> {
      const view = await source.read('actor', `actors/${encodeURIComponent(id)}`);
      noteView(id, name, view.row.isEnded ? null : view);
      block(view.block);
    },
    async openings({ name, source }: NetworkNode, id: string): Promise<void> {
      const view = await source.read('actor', `actors/${encodeURIComponent(id)}`);
      const key = `${name} ${id}`;
      watch.openings.value = new Map(watch.openings.value).set(key, openingsIn(name, view));
      block(view.block);
    },
    async payments({ name, source }: NetworkNode): Promise<void> {
      const query = { machine: 'initiator', ended: '1', limit: MOST_ENDED };
      const { actors, hasMore } = await source.read('actors', 'actors', query);
      const rows = actors.map((row) => ({ node: name, row })).sort(newestFirst);
      const shown = rows.slice(0, MOST_PAYMENTS);
      const isCut = hasMore || rows.length > shown.length;
      watch.payments.value = new Map(watch.payments.value).set(name, { shown, isCut });
    },
  };
}

/** Payments under way first, then by their end. */
export function newestFirst({ row: one }: NodePayment, { row: other }: NodePayment): number {
  const [a, b] = [one.endTime, other.endTime].map((time) => time ?? Number.POSITIVE_INFINITY);
  return a === b || a === undefined || b === undefined
    ? one.actor.localeCompare(other.actor)
    : b - a;
}

/** The channels that the node is opening, as its token network's actor remembers them. */
function openingsIn(node: string, { context }: ActorView): Opening[] {
  const list = fieldOf(context, 'openings');
  const token = textAt(context, 'token');
  if (!Array.isArray(list) || token === null) return [];
  return list.flatMap((one: unknown) => {
    const [partner, deposit] = [textAt(one, 'partner'), bigintAt(one, 'totalDeposit')];
    const isOnChain = textAt(one, 'channel') !== null;
    return partner === null || deposit === null
      ? []
      : [{ node, partner, token, deposit, isOnChain }];
  });
}
