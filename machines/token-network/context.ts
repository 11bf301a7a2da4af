/** What a token network's actor remembers. Amounts in the token's smallest unit. */
import * as v from 'valibot';
import { count, failure, hex, list, optionalUint, text, uint } from '../../src/protocol/shapes.ts';
import { leftChannel, partnerDeposit } from '../events/notices.ts';
import { type TokenNetworkInput, tokenNetworkInput } from '../inputs.ts';
import type { Step } from '../step.ts';

const opening = v.object({
  /** Who waits for it; null: the join that is on its way. */
  requestId: v.nullable(text),
  key: text,
  partner: hex,
  totalDeposit: uint,
  revealTimeout: uint,
  /** The channel's actor once its opening is confirmed. */
  channel: v.nullable(text),
  /** The partner's deposit so far: it counts if the partner turns out to have opened the channel. */
  offer: v.nullable(partnerDeposit),
});
export type Opening = v.InferOutput<typeof opening>;

/** What became of the funds of the last join. Every unit is in `free` or in one deposit, never in both. */
const connection = v.object({
  /** Of the join: what comes back from an older one is not added. */
  number: count,
  /** The deposit of one channel: a fifth of the funds. */
  share: uint,
  /** Not in use. */
  free: uint,
  /** Channels of later blocks are matched, but for those that this node opened. */
  sinceBlock: uint,
  own: list(text),
});
export type Connection = v.InferOutput<typeof connection>;

const match = v.object({
  key: text,
  /** Of the join that the deposit is paid from. */
  number: count,
  channel: text,
  added: uint,
  totalDeposit: uint,
  /** The partner deposited again meanwhile. */
  offer: v.nullable(partnerDeposit),
});
export type Match = v.InferOutput<typeof match>;

const joining = v.object({
  requestIds: list(text),
  funds: uint,
  number: count,
  /** Actors of the channels that are open. */
  opened: list(text),
  /** Of the first opening that failed. */
  failure: v.nullable(failure),
});
export type Joining = v.InferOutput<typeof joining>;

/** `asked`: its close is on its way; `again`: to be asked at the next wake; `closed`: only to be waited for. */
const leave = v.object({
  channel: text,
  state: v.picklist(['asked', 'again', 'closed']),
  tries: count,
});
export type Leave = v.InferOutput<typeof leave>;

const leaving = v.object({
  requestIds: list(text),
  channels: list(leave),
  settled: list(leftChannel),
});
export type Leaving = v.InferOutput<typeof leaving>;

export const tokenNetworkContext = v.object({
  ...tokenNetworkInput.entries,
  id: text,
  openings: list(opening),
  connection: v.nullable(connection),
  /** Deposits of this node that answer those of partners, on their way. */
  matches: list(match),
  /** The join that is on its way. */
  join: v.nullable(joining),
  leave: v.nullable(leaving),
  /** Counts jobs and joins. */
  jobs: count,
  wakeBlock: optionalUint,
});
export type TokenNetworkContext = v.InferOutput<typeof tokenNetworkContext>;
export type NetworkStep = Step<TokenNetworkContext>;

export function newNetwork(input: TokenNetworkInput & { id: string }): TokenNetworkContext {
  return {
    ...input,
    openings: [],
    connection: null,
    matches: [],
    join: null,
    leave: null,
    jobs: 0,
    wakeBlock: null,
  };
}

/** Tokens that are promised to transactions on their way, though they may still be seen in the account. */
export function promised({ openings, matches }: TokenNetworkContext): bigint {
  const opening = openings.reduce((sum, { totalDeposit }) => sum + totalDeposit, 0n);
  return matches.reduce((sum, { added }) => sum + added, opening);
}

/** What a failed deposit gives back, unless the funds that it came from are no longer kept. */
export function refunded(
  { connection }: TokenNetworkContext,
  number: number,
  amount: bigint,
): Connection | null {
  if (connection === null || connection.number !== number) return connection;
  return { ...connection, free: connection.free + amount };
}
