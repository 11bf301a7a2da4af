/** What a token network's actor remembers. Amounts in the token's smallest unit. */
import type { Code } from '../../src/protocol/codes.ts';
import type { Address } from '../../src/protocol/hex.ts';
import type { LeftChannel, PartnerDeposit } from '../events/notices.ts';
import type { TokenNetworkInput } from '../inputs.ts';
import type { Step } from '../step.ts';

export type TokenNetworkContext = TokenNetworkInput & {
  id: string;
  openings: readonly Opening[];
  connection: Connection | null;
  /** Deposits of this node that answer those of partners, on their way. */
  matches: readonly Match[];
  /** The join that is on its way. */
  join: Joining | null;
  leave: Leaving | null;
  /** Counts jobs and joins. */
  jobs: number;
  wakeBlock: bigint | null;
};
export type NetworkStep = Step<TokenNetworkContext>;

export type Opening = {
  /** Who waits for it; null: the join that is on its way. */
  requestId: string | null;
  key: string;
  partner: Address;
  totalDeposit: bigint;
  revealTimeout: bigint;
  /** The channel's actor once its opening is confirmed. */
  channel: string | null;
  /** The partner's deposit so far: it counts if the partner turns out to have opened the channel. */
  offer: PartnerDeposit | null;
};

/** What became of the funds of the last join. Every unit is in `free` or in one deposit, never in both. */
export type Connection = {
  /** Of the join: what comes back from an older one is not added. */
  number: number;
  /** The deposit of one channel: a fifth of the funds. */
  share: bigint;
  /** Not in use. */
  free: bigint;
  /** Channels of later blocks are matched, but for those that this node opened. */
  sinceBlock: bigint;
  own: readonly string[];
};
export type Match = {
  key: string;
  /** Of the join that the deposit is paid from. */
  number: number;
  channel: string;
  added: bigint;
  totalDeposit: bigint;
  /** The partner deposited again meanwhile. */
  offer: PartnerDeposit | null;
};
export type Joining = {
  requestIds: readonly string[];
  funds: bigint;
  number: number;
  /** Actors of the channels that are open. */
  opened: readonly string[];
  /** Of the first opening that failed. */
  failure: { code: Code; detail: string } | null;
};

export type Leaving = {
  requestIds: readonly string[];
  channels: readonly Leave[];
  settled: readonly LeftChannel[];
};
/** `asked`: its close is on its way; `again`: to be asked at the next wake; `closed`: only to be waited for. */
export type Leave = { channel: string; state: 'asked' | 'again' | 'closed'; tries: number };

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
