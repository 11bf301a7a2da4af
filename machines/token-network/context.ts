/** What a token network's actor remembers, and every event that it can get. Amounts in the token's smallest unit. */
import * as v from 'valibot';
import type { ChannelLog } from '../../src/contracts/channel-events.ts';
import { count, failure, hex, list, optionalUint, text, uint } from '../../src/protocol/shapes.ts';
import { type TokenNetworkInput, tokenNetworkInput } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { BlockReached, TokenNetworkCreated, TransactionEnded } from '../events/chain.ts';
import type { Join, Leave as LeaveCommand, Open, RegisterToken } from '../events/commands.ts';
import {
  type AnsweredNotice,
  type ChannelLeft,
  type Chosen,
  leftChannel,
  type PartnerDeposited,
  partnerDeposit,
  type SettingsTold,
} from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

const opening = v.object({
  /**
   * The request that is answered when the channel is open; null: the opening belongs to the join that is on its way.
   */
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
  /** The join's number: what comes back from an older join is not added to `free`. */
  number: count,
  /** The deposit of one channel: a fifth of the funds. */
  share: uint,
  /** Funds that are in no deposit. */
  free: uint,
  /**
   * Only channels that were opened after this block get a matching deposit, and not those that this node opened
   * (`own`).
   */
  sinceBlock: uint,
  own: list(text),
});
export type JoinedConnection = v.InferOutput<typeof connection>;

const match = v.object({
  key: text,
  /** The number of the join that the deposit is paid from. */
  number: count,
  channel: text,
  added: uint,
  totalDeposit: uint,
  /** The partner's newer deposit, which arrived while this one was on its way. */
  offer: v.nullable(partnerDeposit),
});
export type Match = v.InferOutput<typeof match>;

const joining = v.object({
  requestIds: list(text),
  funds: uint,
  number: count,
  /** Actors of the channels that the join has opened. */
  opened: list(text),
  /** Why the first opening failed that did; null: none has failed. */
  failure: v.nullable(failure),
});
export type Joining = v.InferOutput<typeof joining>;

/**
 * A channel that is being left. `asked`: it was asked to close; `again`: it is to be asked once more at the next
 * wake-up; `closed`: only its settlement is waited for.
 */
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
  /** Whether the operator has opened a channel, paid or sold for the token: then it is money to this node. */
  isChosen: v.boolean(),
  openings: list(opening),
  connection: v.nullable(connection),
  /** Deposits of this node that are on their way and match those of partners. */
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

export type TokenNetworkEvent =
  | SettingsTold
  | RegisterToken
  | Open
  | Join
  | LeaveCommand
  | TokenNetworkCreated
  | Extract<ChannelLog, { type: 'chain.channelOpened' }>
  | TransactionEnded
  | BlockReached
  | PartnerDeposited
  | AnsweredNotice
  | ChannelLeft
  | Chosen;

export const { on, onAny, onGiven, when } = binding<
  TokenNetworkContext,
  Stamped<TokenNetworkEvent>
>();

export function newNetwork(input: TokenNetworkInput & { id: string }): TokenNetworkContext {
  return {
    ...input,
    isChosen: false,
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

/**
 * The funds after a failed deposit: its amount is free again, unless the join that paid it is no longer the last one.
 */
export function refunded(
  { connection }: TokenNetworkContext,
  number: number,
  amount: bigint,
): JoinedConnection | null {
  if (connection === null || connection.number !== number) return connection;
  return { ...connection, free: connection.free + amount };
}
