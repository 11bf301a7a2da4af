/** One rule that is held against what honest machines do. All that it does not need to know is absent. */
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { Batch } from '../../store/batch.ts';
import type { Block } from '../chain/blocks.ts';
import type { ChannelFacts } from '../chain/contracts/token-network.ts';
import type { Transaction } from '../chain/transaction.ts';

/** Throws the violation that it has found. */
export type Oracle = {
  /** An honest machine has written this, and done nothing of it yet. */
  commit?(who: string, batch: Batch): void;
  /** An honest machine says this to somebody. */
  says?(who: string, to: Address, message: Message): void;
  /** An honest machine sends this to somebody; `messages`: what the recipient makes of it. Before they are said. */
  sends?(who: string, to: Address, payload: Uint8Array, messages: readonly Message[]): void;
  /** Somebody, honest or not, says this to a machine. */
  hears?(who: string, from: Address, message: Message): void;
  /** An honest machine offers this to the chain. */
  submitted?(who: string, transaction: Transaction): void;
  /** The chain has one block more. */
  block?(block: Block): void;
  /** A machine has met blocks that were replaced although they were confirmed, and goes back to the fork. */
  replaced?(who: string): void;
  /** The run has ended, and everything had the time to end. */
  end?(): void;
};

/** What is so, whatever any node believes. */
export type Facts = {
  confirmations: bigint;
  /** The oldest block that the chain has. */
  firstBlock: bigint;
  /** The chain's newest block. */
  head(): bigint;
  /** Null: the chain has no block of this number. */
  blockHash(number: bigint): Hash | null;
  /** Null: it was never opened. */
  channel(id: bigint): ChannelFacts | null;
  tokenNetwork: Address;
  /** Wei of an account, at the newest block. */
  wei(owner: Address): bigint;
  /** The channels of which the logs of a block say something, once for each log. */
  channelLogs(number: bigint): bigint[];
  /** In which block the secret became public; null: it is not. */
  secretBlock(secrethash: Hash): bigint | null;
  /** All that are honest. */
  machines(): Honest[];
  /** The honest machine with this name; null: there is none. */
  machine(name: string): Honest | null;
  /** The honest machine with this address; null: there is none. */
  honest(address: Address): Honest | null;
};
/** `isFit`: it runs, and nothing keeps it from the chain, from the others, or from its disk. */
export type Honest = { name: string; address: Address; revealTimeout: bigint; isFit: boolean };
