/** One rule that is checked against what honest nodes do. A rule leaves out the functions that it does not need. */
import type { Address, Hash } from '../../basics/hex.ts';
import type { Bounds } from '../../node/runtime/knowledge/bounds.ts';
import type { UnsaidMessage } from '../../node/start.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { Batch, OutboxRow } from '../../store/base/batch.ts';
import type { Block } from '../chain/blocks.ts';
import type { ChannelFacts } from '../chain/contracts/token-network.ts';
import type { Transaction } from '../chain/transaction.ts';

/** Each function throws the violation that it finds. */
export type Oracle = {
  /** An honest node has written this batch, and carried out nothing of it yet. */
  commit?(who: string, batch: Batch): void;
  /** A process of an honest node has written: the messages that it still means to say, and those on its disk. */
  written?(who: string, unsaid: Iterable<UnsaidMessage>, rows: readonly OutboxRow[]): void;
  /** An honest node sends this message. */
  says?(who: string, to: Address, message: Message): void;
  /** An honest node sends this payload; `messages`: what the recipient reads in it. Called before `says`. */
  sends?(who: string, to: Address, payload: Uint8Array, messages: readonly Message[]): void;
  /** Another node, honest or not, sends this message to a node; it may be long on its way, or be lost. */
  hears?(who: string, from: Address, message: Message): void;
  /** The message has come to a process of the node, once or several times. */
  arrives?(who: string, from: Address, message: Message): void;
  /** An honest node sends this transaction to the chain. */
  submitted?(who: string, transaction: Transaction): void;
  /** The chain has got one block more. */
  block?(block: Block): void;
  /** A node has seen that confirmed blocks were replaced, and goes back to the fork. */
  replaced?(who: string): void;
  /** The run has ended, after enough quiet time for everything to finish. */
  end?(): void;
};

/** The true state of the network, whatever any node believes. */
export type Facts = {
  confirmations: bigint;
  /** The oldest block that the chain has. */
  firstBlock: bigint;
  /** The chain's newest block. */
  head(): bigint;
  /** Null: the chain has no block of this number. */
  blockHash(number: bigint): Hash | null;
  /** The channel's state on chain; null: it was never opened. */
  channel(id: bigint): ChannelFacts | null;
  /** The same for any channel, also of another token network, by the id of its actor. */
  channelOf(actor: string): ChannelFacts | null;
  /** The settle timeout of a channel, by the id of its actor; null: it is not open. */
  settleTimeoutOf(channel: string): bigint | null;
  isOpen(channel: string): boolean;
  chainId: bigint;
  tokenNetwork: Address;
  /** Of secrets. */
  registry: Address;
  /** The function that the transaction calls; "other" when none of the contracts has it. */
  nameOf(transaction: Pick<Transaction, 'data'>): string;
  /** The cheat that has this key or account; null: none. */
  cheatOf(address: Address): string | null;
  /** What the scenario has changed of the bounds of this node. */
  boundsOf(who: string): Partial<Bounds>;
  /** Wei per unit of gas that are paid on top of the base fee. */
  usualTip(): bigint;
  /** Wei of an account, at the newest block. */
  wei(owner: Address): bigint;
  /** The channels that a block's logs are about, once for each log. */
  channelLogs(number: bigint): bigint[];
  /** The block in which the secret was registered; null: it was not. */
  secretBlock(secrethash: Hash): bigint | null;
  /** The block since which no fault, attack or start was in anybody's way; null: something is. */
  quietSince(): bigint | null;
  /** The same, whatever attacks there are. */
  undisturbedSince(): bigint | null;
  /** All honest nodes. */
  machines(): Honest[];
  /** The honest node with this name; null: there is none. */
  machine(name: string): Honest | null;
  /** The honest node with this address; null: there is none. */
  honest(address: Address): Honest | null;
  /** Whether the node is honest, and has everything that it ever wrote: one with an old copy of its disk has not. */
  isWhole(who: string): boolean;
  /** Whether something has kept the node from its work since this block. */
  isExcused(who: string, sinceBlock: bigint): boolean;
  /** In blocks. */
  revealTimeoutOf(who: string): bigint;
};
/** `isFit`: the node runs, and nothing keeps it from the chain, from the other nodes, or from its disk. */
export type Honest = { name: string; address: Address; revealTimeout: bigint; isFit: boolean };
