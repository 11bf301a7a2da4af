/**
 * A dishonest partner: it has the keys of one or several nodes and reads all messages to them; it may send anybody
 * any message that these keys can sign, in any grouping, and call any contract. Its nodes run the real program, so
 * that it can behave honestly until it attacks.
 */

import type { Address, Hash, Hex, Secret } from '../../basics/hex.ts';
import type { RunningNode } from '../../node/start.ts';
import type { Message, SentMessage } from '../../protocol/messages/table.ts';
import type { Draw } from '../world/randomness.ts';
import type { Promises } from './promises.ts';

/** The messages of one payload. */
export type Group = { to: Address; messages: readonly SentMessage[] };
export type Heard = { from: Address; by: Address; messages: readonly SentMessage[] };

/** A payload on its way, which only its recipient can open. */
export type Overheard = { from: Address; to: Address; payload: Uint8Array };

/** What an attack does with the messages of its nodes, and at each block. All functions may be absent. */
export type Program = {
  name: string;
  /** What an own node sends in place of this; absent: the same. */
  outgoing?(from: Address, group: Group): readonly Group[];
  /** False: the node itself does not get the messages. */
  incoming?(heard: Heard): boolean;
  block?(head: bigint): void;
  /** Called with every payload between any nodes, as the broker sees it. */
  overhears?(parcel: Overheard): void;
  /** It says and hears nothing else than before when the attack is over, so that what it holds ends by itself. */
  isHolding?: true;
  /** As `outgoing`, once the attack is over: the numbers of what was signed during the attack must still be right. */
  calm?(from: Address, group: Group): readonly Group[];
};

/** A token and the network of its channels. */
export type Market = { token: Address; network: Address };

/** A key that no node has. */
export type Stranger = {
  own: Address;
  sign(message: Message): SentMessage;
  sign32(digest: Uint8Array): Hex;
  /** Sends the messages in its name, as one payload. */
  say(group: Group): void;
};

/** What the program can do, for each node whose key it holds. */
export type Power = {
  own: Address;
  draw: Draw;
  head(): bigint;
  /** The running node with this key, which obeys calls of its owner; null while it is down. */
  node(): RunningNode | null;
  /** Signs the message if its type has a signature. */
  sign(message: Message): SentMessage;
  sign32(digest: Uint8Array): Hex;
  /** Sends the messages in this node's name, as one payload. */
  say(group: Group): void;
  /** Sends these bytes unchanged, e.g. an earlier payload. */
  replay(to: Address, payload: Uint8Array): void;
  /** What it seals for the targets of its payments. */
  promises: Promises;
  /** A sealed payload with any text, in this node's name; null when no node has the address. */
  sealText(to: Address, text: string): Uint8Array | null;
  /** Sends a transaction from an account of its own, which pays any gas price. */
  call(to: Address, data: Hex): void;
  /** The key of this number; there are as many as the attack wants. */
  stranger(number: number): Stranger;
  /** Does the work when this share of the time between two blocks has passed. */
  later(share: number, work: () => void): void;
  /** Transactions of others that are in no block yet: everybody can see them. */
  waiting(): readonly { to: Address; data: Hex }[];
  memory: Memory;
};

/** The messages that were sent and received with one key, the oldest first; only the newest are kept. */
export type Memory = {
  sent: readonly { to: Address; line: SentMessage }[];
  heard: readonly { from: Address; line: SentMessage }[];
  payloads: readonly { to: Address; payload: Uint8Array }[];
  secrets: Map<Hash, Secret>;
};
