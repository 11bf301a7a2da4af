/**
 * What a node has and does, as its page shows it first: what it can pay and receive of each token, and its channels with
 * both sides. Everything is summed up here, over all channels, whatever the page has loaded.
 */
import { settleBlock } from '../../machines/channel/dispute.ts';
import { channelTags } from '../../machines/tags.ts';
import { larger } from '../basics/amount.ts';
import type { Address } from '../basics/hex.ts';
import { moneyOf } from './base/money.ts';
import { deadlineOf } from './deadlines/deadlines.ts';
import type { SeenOf } from './replay/contexts.ts';
import { byActorId } from './texts/actor-order.ts';
import type { CHANNEL_ORDERS, ChannelLine, Labels, TokenSums } from './wire.ts';

export function channelLine(actor: string, seen: SeenOf<'channel'>): ChannelLine {
  const { value, state, context } = seen;
  const tags = channelTags(value);
  const isOpen = tags.has('takesLocks');
  const isDisputed = tags.has('isUnsettled') && !tags.has('isUnclosed') && tags.has('takesProofs');
  const { own, partner } = moneyOf(context, isOpen);
  return {
    ...{ actor, state, isOpen, own, partner },
    token: context.token,
    locks: context.ownEnd.locks.length + context.partnerEnd.locks.length,
    dueBlock: isDisputed ? settleBlock(context) : deadlineOf(seen),
  };
}

const NOTHING = {
  ...{ channels: 0, open: 0 },
  ...{ canPay: 0n, canReceive: 0n, mostPay: 0n, mostReceive: 0n },
};

/** What can be paid and received of each token, those with more channels first. */
export function sumsOf(lines: Iterable<ChannelLine>): TokenSums[] {
  const sums = new Map<Address, TokenSums>();
  for (const { token, own, partner, isOpen } of lines) {
    const sum = sums.get(token) ?? { token, ...NOTHING };
    sums.set(token, {
      token,
      channels: sum.channels + 1,
      open: sum.open + (isOpen ? 1 : 0),
      canPay: sum.canPay + own.capacity,
      canReceive: sum.canReceive + partner.capacity,
      mostPay: larger(sum.mostPay, own.capacity),
      mostReceive: larger(sum.mostReceive, partner.capacity),
    });
  }
  return [...sums.values()].sort((a, b) => b.channels - a.channels);
}

/** Which channels are wanted. `find`: part of a name, an address or an identifier; '': any. */
export type ChannelsWanted = {
  find: string;
  state: 'all' | 'open' | 'ending';
  order: (typeof CHANNEL_ORDERS)[number];
  from: number;
  limit: number;
};

/** The wanted channels of one page, and how many there are on all pages. */
export function pageOf(
  lines: readonly ChannelLine[],
  { find, state, order, from, limit }: ChannelsWanted,
  { names, tokens }: Labels,
): { found: number; shown: ChannelLine[] } {
  const text = find.toLowerCase();
  const called = new Map<string, string>([
    ...names.map(({ address, name }) => [address, name] as const),
    ...tokens.map(({ address, symbol }) => [address, symbol] as const),
  ]);
  const words = ({ actor, token, partner }: ChannelLine) =>
    [actor, partner.address, called.get(partner.address), token, called.get(token)].join(' ');
  const found = lines
    .filter(({ isOpen }) => state === 'all' || isOpen === (state === 'open'))
    .filter((line) => text === '' || words(line).toLowerCase().includes(text))
    .sort(ORDERS[order]);
  return { found: found.length, shown: found.slice(from, from + limit) };
}

type Comparison = (a: ChannelLine, b: ChannelLine) => number;
const byMost =
  (amountOf: (line: ChannelLine) => bigint): Comparison =>
  (a, b) =>
    Number(amountOf(b) > amountOf(a)) - Number(amountOf(b) < amountOf(a)) || byId(a, b);
const sizeOf = ({ own, partner }: ChannelLine) => own.balance + partner.balance;
const byId: Comparison = (a, b) => byActorId(a.actor, b.actor);

const ORDERS: Record<ChannelsWanted['order'], Comparison> = {
  // What is ending has a deadline that somebody may want to see.
  due: (a, b) => dueOf(a) - dueOf(b) || Number(a.isOpen) - Number(b.isOpen) || byMost(sizeOf)(a, b),
  pay: byMost(({ own }) => own.capacity),
  receive: byMost(({ partner }) => partner.capacity),
  size: byMost(sizeOf),
  number: byId,
};
const dueOf = ({ dueBlock }: ChannelLine) => Number(dueBlock ?? Number.MAX_SAFE_INTEGER);
