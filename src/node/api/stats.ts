/** How the node is doing, in numbers. They are counted when somebody asks, a few actors at a time. */
import { channelTags, stateText } from '../../../machines/tags.ts';
import type { Address } from '../../basics/hex.ts';
import type { HeadStatus } from '../../chain/watch/watcher.ts';
import { distributable } from '../../protocol/channel/channel-end.ts';
import type { Node } from '../node.ts';
import type { ChannelView } from '../runtime/actors/channel-states.ts';
import type { StoredState } from '../runtime/actors/kinds.ts';
import { statesOf } from '../runtime/actors/walk.ts';
import type { NodeStats } from './api.ts';
import { viewOf } from './views.ts';

/** How long an answer of the chain is reused, and how long one is waited for. */
const FUNDS_MS = 15_000;
const PATIENCE_MS = 2_000;

type Funds = Pick<NodeStats, 'userDeposit'>;
type Entries<T> = T extends ReadonlyMap<string, infer V> ? Map<string, V> : never;
type Count = Pick<NodeStats, 'locks' | 'lockSlack'> & {
  actors: Entries<NodeStats['actors']>;
  channels: Entries<NodeStats['channels']>;
};

const NO_FUNDS: Funds = { userDeposit: null };

export function createStats(node: Node): () => Promise<NodeStats> {
  const { actors, engine, clock, outbox } = node;
  let funds: { at: number; value: Funds } | null = null;

  function take(count: Count, { kind, value, context }: StoredState): void {
    const state = stateText(value);
    const known = count.actors.get(`${kind} ${state}`);
    if (known === undefined)
      count.actors.set(`${kind} ${state}`, { machine: kind, state, count: 1 });
    else known.count += 1;
    if (kind !== 'channel') return;
    const { ownEnd, partnerEnd, token } = context;
    const channels = channelsOf(
      count,
      token,
      viewOf({ tags: channelTags(value), channel: context }, 'unknown'),
    );
    channels.count += 1;
    channels.ownCapacity += distributable(ownEnd, partnerEnd);
    channels.partnerCapacity += distributable(partnerEnd, ownEnd);
    for (const { secrethash } of ownEnd.locks) count.locks[roleOf(secrethash, 'initiator')] += 1;
    for (const { secrethash, expiration } of partnerEnd.locks) {
      count.locks[roleOf(secrethash, 'target')] += 1;
      const head = headOf(node);
      const slack = head === null ? null : expiration - head.headBlock;
      if (slack !== null && (count.lockSlack === null || slack < count.lockSlack))
        count.lockSlack = slack;
    }
  }

  function roleOf(secrethash: string, otherwise: 'initiator' | 'target') {
    return actors.has(`mediator:${secrethash}`) ? 'mediator' : otherwise;
  }

  async function count(): Promise<Count> {
    const all = emptyCount();
    for await (const some of statesOf(actors, actors.ids()))
      for (const { state } of some) take(all, state);
    return all;
  }

  async function fundsNow(): Promise<Funds> {
    const now = clock.elapsed();
    if (funds === null || now - funds.at >= FUNDS_MS) {
      funds = { at: now, value: await readFunds(node).catch(() => NO_FUNDS) };
    }
    return funds.value;
  }

  return async () => {
    engine.flush();
    const counted = await count();
    const patience = pauseFor(PATIENCE_MS);
    const known = await Promise.race([fundsNow(), patience.over]);
    patience.end();
    return {
      ...counted,
      ...(known ?? NO_FUNDS),
      gasReserveRatio: ratioOf(node.protection.reserve()),
      outbox: outbox.size(),
      isOnBroker: node.brokerWatch.isConnected(),
      isReplicated: node.replica === null ? null : node.replica.trouble() === null,
      transactions: node.jobs.running(),
      chain: chainOf(headOf(node)),
      lateBlocks: node.lateness.recent(),
      gasBudgetLeft: node.protection.budgets
        .all()
        .reduce((least, each) => Math.min(least, node.protection.budgets.leftOf(each)), 1),
    };
  };
}

function emptyCount(): Count {
  return {
    actors: new Map(),
    channels: new Map(),
    locks: { initiator: 0, mediator: 0, target: 0 },
    lockSlack: null,
  };
}

function channelsOf({ channels }: Count, token: Address, { state }: ChannelView) {
  const key = `${token} ${state}`;
  const known = channels.get(key);
  if (known !== undefined) return known;
  const none = { token, state, count: 0, ownCapacity: 0n, partnerCapacity: 0n };
  channels.set(key, none);
  return none;
}

async function readFunds({ reads, own, settings }: Node): Promise<Funds> {
  const contract = settings.contracts.userDepositAddress;
  const deposit = contract === null ? null : await reads.userDeposit(contract, own);
  return { userDeposit: deposit?.ok ? deposit.value.effectiveBalance : null };
}

/** The newest known head; null before the chain has answered. */
function headOf({ headStatus }: Node): HeadStatus | null {
  const head = headStatus();
  return head === null || head.headBlock === 0n ? null : head;
}

function chainOf(head: HeadStatus | null): NodeStats['chain'] {
  if (head === null) return null;
  const { headBlock, confirmedBlock, blocksToSync } = head;
  return { head: headBlock, confirmed: confirmedBlock, lag: blocksToSync };
}

const ratioOf = (reserve: { spare: bigint; wanted: bigint } | null): number | null =>
  reserve === null || reserve.wanted === 0n ? null : Number(reserve.spare) / Number(reserve.wanted);

function pauseFor(ms: number): { over: Promise<null>; end: () => void } {
  let end = () => {};
  const over = new Promise<null>((resolve) => {
    const timer = setTimeout(() => resolve(null), ms);
    end = () => clearTimeout(timer);
  });
  return { over, end };
}
