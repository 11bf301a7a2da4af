/** What a channel remembers, and everything that it can be told. */
import type { ChannelEnd } from '../src/protocol/channel-end.ts';
import { EMPTY_END } from '../src/protocol/channel-end.ts';
import type { Address, Hash, Hex } from '../src/protocol/hex.ts';
import type { ChannelInput, PartnerProof } from './effects.ts';
import type {
  AddLock,
  BlockReached,
  ChannelLog,
  Close,
  Deposit,
  DoUnlock,
  ExpireLock,
  LockExpiredReceived,
  LockedTransferReceived,
  PartnerBack,
  SecretRegistered,
  SetRevealTimeout,
  SyncReceived,
  TransactionEnded,
  UnlockReceived,
} from './events.ts';

export type ChannelContext = ChannelInput & {
  id: string;
  ownEnd: ChannelEnd;
  partnerEnd: ChannelEnd;
  /** The partner's newest balance proof; null while it has signed none. */
  partnerProof: PartnerProof | null;
  /** Secrethashes of pending locks whose secret stands on chain in time. */
  registered: readonly Hash[];
  /** The deposit that is on its way. */
  deposit: { requestId: string; key: string; totalDeposit: bigint } | null;
  /** Who waits for the close. */
  closeRequest: string | null;
  dispute: Dispute | null;
  /** Sides whose locks still have to be unlocked on chain after the settlement. */
  unlocks: readonly ('own' | 'partner')[];
  /** Counts transaction jobs, so that each gets a key of its own. */
  jobs: number;
  wakeBlock: bigint | null;
};

/** What the contract holds since the close. A null hash: no balance proof of that side. */
export type Dispute = {
  closer: Address;
  closeBlock: bigint;
  ownHash: Hash | null;
  partnerHash: Hash | null;
};

export type ChannelEvent =
  | AddLock
  | DoUnlock
  | ExpireLock
  | SecretRegistered
  | PartnerBack
  | LockedTransferReceived
  | UnlockReceived
  | LockExpiredReceived
  | SyncReceived
  | Deposit
  | Close
  | SetRevealTimeout
  | ChannelLog
  | TransactionEnded
  | BlockReached;

export function newChannel(input: ChannelInput & { id: string }): ChannelContext {
  return {
    ...input,
    ownEnd: EMPTY_END,
    partnerEnd: EMPTY_END,
    partnerProof: null,
    registered: [],
    deposit: null,
    closeRequest: null,
    dispute: null,
    unlocks: [],
    jobs: 0,
    wakeBlock: null,
  };
}

/** The actor of a channel. */
export function channelActorId(tokenNetwork: Hex, channelId: bigint): string {
  return `channel:${tokenNetwork}:${channelId}`;
}
