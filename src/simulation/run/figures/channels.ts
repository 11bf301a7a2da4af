/** What the channels of a run hold: now, and in the end. */

import { type DecodeEventLogReturnType, decodeEventLog } from 'viem';
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import { larger } from '../../../basics/amount.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { channelEventsAbi } from '../../../contracts/channel-events.ts';
import type { ChannelResult } from '../../report/results/result.ts';
import type { Run } from '../build.ts';
import type { Standing } from './series.ts';

type Opened = Run['channels'][number];
/** What one side of a channel put in, took out while it was open, and got when it ended; null: it has not ended. */
type Money = { deposit: bigint; withdrawn: bigint; end: bigint | null };

const STATE_NAMES = {
  none: 'settled',
  opened: 'open',
  closed: 'closing',
  settled: 'settled',
  removed: 'settled',
} as const satisfies Record<string, ChannelResult['state']>;

/** How much a channel has moved to one of its nodes, as an honest node of it says; a dishonest one is not believed. */
export function movedTo(run: Run, channel: Opened, index: number): bigint {
  const { flowAB, flowBA } = flowsOf(run, channel);
  return index === channel.a ? flowBA - flowAB : flowAB - flowBA;
}

/** What went through a channel, as an honest node of it says. */
function flowsOf({ world, tally, plan, isCounted }: Run, { id, a, b }: Opened) {
  const actor = channelActorId({ tokenNetwork: world.tokenNetwork, channelId: id });
  if (plan.nodes[a]?.isHonest && isCounted(a)) {
    const { sent, received, payments } = tally.flowsOf(a, actor);
    return { flowAB: sent, flowBA: received, payments };
  }
  const { sent, received, payments } = tally.flowsOf(b, actor);
  return { flowAB: received, flowBA: sent, payments };
}

/** The pending locks, the amount in open channels, and how one-sided the channels are. */
export function standingOf(run: Run): Standing {
  const { world, ledger } = run;
  const leanings: number[] = [];
  let capacity = 0n;
  for (const channel of run.channels) {
    const facts = world.chain.channel(world.tokenNetwork, channel.id);
    if (facts?.state !== 'opened') continue;
    const total = facts.sides.reduce((sum, side) => sum + side.deposit - side.withdrawn, 0n);
    capacity += total;
    if (total === 0n) continue;
    const first = facts.sides.find(({ address }) => address === world.addressOf(channel.a));
    const { deposit, withdrawn } = first ?? { deposit: 0n, withdrawn: 0n };
    const ofFirst = deposit - withdrawn + movedTo(run, channel, channel.a);
    const leaning = Math.abs(Number(((2n * ofFirst - total) * 1_000_000n) / total)) / 1e6;
    leanings.push(Math.min(1, leaning));
  }
  const sum = leanings.reduce((all, one) => all + one, 0);
  const imbalance = leanings.length === 0 ? null : sum / leanings.length;
  // Nothing is unlocked between two nodes any more in a channel that was settled: the chain pays.
  const pendingLocks = ledger.pending((actor) => {
    const state = world.chain.channelOf(actor)?.state;
    return state === 'opened' || state === 'closed';
  });
  return { pendingLocks, capacity, imbalance };
}

/** The channels of a run in the end. */
export function channelResults(run: Run): ChannelResult[] {
  const { world, tally } = run;
  const ended = endedChannels(run);
  const begins = beginsOf(run);
  return run.channels.map((channel) => {
    const { id, a, b } = channel;
    const facts = world.chain.channel(world.tokenNetwork, id);
    const moneyOf = (index: number): Money => {
      const owner = world.addressOf(index);
      const side = facts?.sides.find(({ address }) => address === owner);
      const { deposit = 0n, withdrawn = 0n } = side ?? {};
      return ended.get(id)?.get(owner) ?? { deposit, withdrawn, end: null };
    };
    const [sideA, sideB] = [moneyOf(a), moneyOf(b)];
    const endOf = ({ deposit, withdrawn, end }: Money, index: number) =>
      end ?? larger(0n, deposit - withdrawn + movedTo(run, channel, index));
    const actor = channelActorId({ tokenNetwork: world.tokenNetwork, channelId: id });
    return {
      a,
      b,
      ...(begins.get(id) ?? { beginA: null, beginB: null }),
      depositA: sideA.deposit,
      depositB: sideB.deposit,
      withdrawnA: sideA.withdrawn,
      withdrawnB: sideB.withdrawn,
      endA: endOf(sideA, a),
      endB: endOf(sideB, b),
      ...flowsOf(run, channel),
      feesA: tally.feesIn(a, actor),
      feesB: tally.feesIn(b, actor),
      state: STATE_NAMES[facts?.state ?? 'none'],
    };
  });
}

/** What each side had in the channels that the scenario begins with: the first of each two nodes. */
function beginsOf({ channels, plan }: Pick<Run, 'channels' | 'plan'>) {
  const pairOf = ({ a, b }: Pick<Opened, 'a' | 'b'>) => [a, b].toSorted((x, y) => x - y).join(' ');
  const planned = new Map(plan.channels.map((channel) => [pairOf(channel), channel]));
  const begins = new Map<bigint, Pick<ChannelResult, 'beginA' | 'beginB'>>();
  for (const channel of channels) {
    const found = planned.get(pairOf(channel));
    if (found === undefined) continue;
    planned.delete(pairOf(channel));
    const { a, depositA, depositB } = found;
    const [beginA, beginB] = a === channel.a ? [depositA, depositB] : [depositB, depositA];
    begins.set(channel.id, { beginA, beginB });
  }
  return begins;
}

/**
 * The sides of channels that were settled, by identifier and address. The contract forgets their deposits then, and what
 * it pays follows from the proofs that it was brought and from what is unlocked later: the logs are asked.
 */
function endedChannels({ world, channels }: Run): Map<bigint, Map<Address, Money>> {
  const { chain, tokenNetwork } = world;
  const ended = new Map<bigint, Map<Address, Money>>();
  for (const { id } of channels) {
    const state = chain.channel(tokenNetwork, id)?.state;
    if (state !== 'opened' && state !== 'closed') ended.set(id, new Map());
  }
  if (ended.size === 0) return ended;
  const all = { from: 0n, to: chain.head().number, addresses: [tokenNetwork], topics: [] };
  for (const log of chain.logs(all)) {
    const [signature, id, ...others] = log.topics;
    const sides = id === undefined ? undefined : ended.get(BigInt(id));
    if (signature === undefined || id === undefined || sides === undefined) continue;
    const topics: [Hash, ...Hash[]] = [signature, id, ...others];
    noteLog(sides, decodeEventLog({ abi: channelEventsAbi, topics, data: log.data }));
  }
  return ended;
}

type ChannelLog = DecodeEventLogReturnType<typeof channelEventsAbi>;

function noteLog(sides: Map<Address, Money>, { eventName, args }: ChannelLog): void {
  const change = (owner: Address, part: (before: Money) => Partial<Money>) => {
    const before = sides.get(owner) ?? { deposit: 0n, withdrawn: 0n, end: null };
    sides.set(owner, { ...before, ...part(before) });
  };
  const gets = (owner: Address, amount: bigint) =>
    change(owner, ({ end }) => ({ end: (end ?? 0n) + amount }));
  switch (eventName) {
    case 'ChannelNewDeposit':
      change(args.participant, () => ({ deposit: args.totalDeposit }));
      break;
    case 'ChannelWithdraw':
      change(args.participant, () => ({ withdrawn: args.totalWithdraw }));
      break;
    case 'ChannelSettled':
      gets(args.participant1, args.amount1);
      gets(args.participant2, args.amount2);
      break;
    case 'ChannelUnlocked':
      gets(args.receiver, args.unlockedAmount);
      gets(args.sender, args.returnedTokens);
  }
}
