/** What can be done to the nodes of the model, and what is known of them from outside. */
import type { PendingWithdraw } from '../../src/protocol/channel-end.ts';
import type { FeeTerms } from '../../src/protocol/fee-terms.ts';
import type { Address, Hash, Secret } from '../../src/protocol/hex.ts';

/** The place in the line. */
export type Who = number;
/** A node inside the line has two channels: the one before it (0) and the one behind it (1). */
export type Where = { by: Who; side?: 0 | 1 };
export type Action =
  /** To the other end of the line, unless `to` says otherwise. */
  | { do: 'pay'; by: Who; to?: Who | undefined; amount: number; blocks: number }
  /** So many payments of one unit at once, to the other end of the line. */
  | { do: 'dust'; by: Who; payments: number }
  | ({ do: 'deposit' | 'withdraw'; amount: number } & Where)
  | { do: 'flow'; parcels: number }
  | { do: 'deliver' | 'lose' | 'double' | 'replay'; index: number }
  /** The sender itself writes other numbers where its signature does not cover them. */
  | { do: 'forge'; index: number; nonce: number; messageId: number }
  | { do: 'silence'; by: Who; blocks: number }
  /** Its endpoint goes on answering, but knows no newer block for so long. */
  | { do: 'freeze'; by: Who; blocks: number }
  /** Nobody hears its unlocks. */
  | { do: 'withhold'; by: Who; blocks: number }
  | { do: 'wait'; seconds: number }
  | { do: 'mine'; blocks: number }
  | { do: 'arm'; by: Who; point: string; left: number }
  | { do: 'doom'; by: Who }
  | ({ do: 'close' } & Where)
  | ({ do: 'cheat'; age: number } & Where)
  /** As soon as a lock of its own is paid, the same secrethash locks again, in the same payload. */
  | { do: 'twin'; by: Who; amount: number }
  /** The payee shows the chain, and nobody else, what it knows. */
  | { do: 'register'; index: number };
export type Settings = {
  seed: number;
  /** Of each node; there are as many nodes. */
  revealTimeouts: readonly number[];
  settleTimeout: number;
  /** Of each channel, the side before it and the one behind it. */
  deposits: readonly (readonly [number, number])[];
  fees?: FeeTerms;
};
export type Payment = {
  by: Who;
  to: Who;
  amount: bigint;
  paid: bigint;
  secret: Secret;
  secrethash: Hash;
};
export type Consent = PendingWithdraw & { by: Address; participant: Address; channelId: bigint };
