/** What a node has answered to its owner stands on chain: a channel, a deposit, a withdrawal, an end. */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address } from '../../../basics/hex.ts';
import type { ChannelPlace } from '../../../protocol/channel/canonical-id.ts';
import type { Facts } from '../oracle.ts';
import { Violation } from '../violation.ts';

/** What an owner has asked for in a channel. Totals as the contract counts them. */
export type ChannelWish =
  | { do: 'open_channel' | 'deposit'; totalDeposit: bigint }
  | { do: 'withdraw'; totalWithdraw: bigint }
  | { do: 'close' };
/** What an owner has asked for of the tokens that services are paid with. */
export type UserDepositWish =
  | { do: 'fill_user_deposit'; total: bigint }
  | { do: 'plan_user_withdrawal'; amount: bigint }
  | { do: 'withdraw_user_deposit' };
/** All channels of a token were to be closed. `open`: those that were open; `left`: those that the node says it has left. */
type Leave = { do: 'leave'; open: readonly ChannelPlace[]; left: readonly ChannelPlace[] };
export type Done = (ChannelWish & { channel: ChannelPlace }) | UserDepositWish | Leave;
const SETTLED: ReadonlySet<string> = new Set(['settled', 'removed']);
const OVER: ReadonlySet<string> = new Set(['closed', ...SETTLED]);

type Asked = { who: string; own: Address; done: Done };
type Known = Pick<Facts, 'channelOf'> & {
  userDepositOf(owner: Address): { total: bigint; planned: bigint };
};

/** Throws when the chain has not what the node has just said that it has. */
export function checkPromise(known: Known, { who, own, done }: Asked): void {
  if (isDone(known, own, done)) return;
  const where = 'channel' in done ? ` of ${done.channel.channelId}` : '';
  throw new Violation(27, who, `${who} says that ${done.do}${where} is done, and it is not`);
}

function isDone(known: Known, own: Address, done: Done): boolean {
  if ('channel' in done) return isInChannel(known, own, done);
  return done.do === 'leave' ? isLeft(known, done) : isKept(known, own, done);
}

/** Each that was open, and that the chain still has, is settled, and named once. */
function isLeft({ channelOf }: Known, { open, left }: Leave): boolean {
  const named = left.map(channelActorId);
  const areNamed = open
    .map(channelActorId)
    .every((id) => named.includes(id) || channelOf(id) === null);
  return (
    areNamed &&
    new Set(named).size === named.length &&
    named.every((id) => SETTLED.has(channelOf(id)?.state ?? ''))
  );
}

function isInChannel(
  { channelOf }: Known,
  own: Address,
  { channel, ...wish }: ChannelWish & { channel: ChannelPlace },
): boolean {
  const facts = channelOf(channelActorId(channel));
  const side = facts?.sides.find(({ address }) => address === own);
  const isOver = facts !== null && OVER.has(facts.state);
  switch (wish.do) {
    case 'open_channel':
    case 'deposit':
      return isOver || (side?.deposit ?? -1n) >= wish.totalDeposit;
    case 'withdraw':
      return isOver || (side?.withdrawn ?? -1n) >= wish.totalWithdraw;
    case 'close':
      return isOver;
  }
}

function isKept({ userDepositOf }: Known, own: Address, wish: UserDepositWish): boolean {
  const { total, planned } = userDepositOf(own);
  switch (wish.do) {
    case 'fill_user_deposit':
      return total >= wish.total;
    case 'plan_user_withdrawal':
      return planned === wish.amount;
    case 'withdraw_user_deposit':
      return planned === 0n;
  }
}
