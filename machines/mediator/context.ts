/** What a mediator remembers, and everything that it can be told. */
import type { Address, Secret } from '../../src/protocol/hex.ts';
import type { BlockReached, SecretRevealed, TransactionEnded } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type {
  ChannelClosing,
  LockForwarded,
  LockGone,
  LockRefused,
  Nobody,
  OwnLockGone,
  Refunded,
  SettingsTold,
  Unlocked,
} from '../events/notices.ts';
import type { MediatorInput } from '../inputs.ts';

export type MediatorContext = MediatorInput & {
  /** Which of the hops was asked last. */
  hop: number;
  /** Where the transfer went on; null: nowhere yet. */
  payee: { channel: string; partner: Address; amount: bigint } | null;
  secret: Secret | null;
  /** The payee gave the transfer back; our lock stands all the same. */
  isRefunded: boolean;
  isPaidIn: boolean;
  isPaidOut: boolean;
  /** Counts registrations, so that each try is a job of its own. */
  jobs: number;
  /** When either side has to be looked at; `wakeBlock` is the earlier. */
  payerBlock: bigint | null;
  payeeBlock: bigint | null;
  wakeBlock: bigint | null;
};

export type MediatorEvent =
  | LockForwarded
  | LockRefused
  | Nobody
  | RevealSecretReceived
  | SecretRevealed
  | Unlocked
  | LockGone
  | OwnLockGone
  | ChannelClosing
  | Refunded
  | SettingsTold
  | TransactionEnded
  | BlockReached;

export function newMediator(input: MediatorInput): MediatorContext {
  return {
    ...input,
    hop: 0,
    payee: null,
    secret: null,
    isRefunded: false,
    isPaidIn: false,
    isPaidOut: false,
    jobs: 0,
    payerBlock: null,
    payeeBlock: null,
    wakeBlock: null,
  };
}
