/**
 * A partner that does what it likes: it holds the keys of one or several nodes, reads all that is sent to them,
 * and may say anything that those keys can sign to anybody, in any grouping, and call any contract. Its nodes run
 * the real program, so that it can behave well until it does not.
 */
import type { RunningNode } from '../../node/start.ts';
import type { Address, Hash, Hex, Secret } from '../../protocol/hex.ts';
import type { Message, SentMessage } from '../../protocol/messages/table.ts';
import type { Draw } from '../world/randomness.ts';

/** Lines of one payload. */
export type Group = { to: Address; messages: readonly SentMessage[] };
export type Heard = { from: Address; by: Address; messages: readonly SentMessage[] };

/** A payload under way, which only its recipient can open. */
export type Overheard = { from: Address; to: Address; payload: Uint8Array };

/** What each of its nodes does with what passes, and what it does at a block. All may be absent. */
export type Program = {
  name: string;
  /** What leaves a node of its own in place of this; absent: as it is. */
  outgoing?(from: Address, group: Group): readonly Group[];
  /** False: the node itself does not hear it. */
  incoming?(heard: Heard): boolean;
  block?(head: bigint): void;
  /** What anybody sends to anybody, as the broker has it. */
  overhears?(parcel: Overheard): void;
  /** As `outgoing`, once the attack is over: what was signed meanwhile still counts. */
  calm?(from: Address, group: Group): readonly Group[];
};

/** What the program can do, for each node whose key it holds. */
export type Power = {
  own: Address;
  draw: Draw;
  head(): bigint;
  /** The node that runs with this key, for orders as an owner gives them; null while it is down. */
  node(): RunningNode | null;
  /** Signs where a signature is due. */
  sign(message: Message): SentMessage;
  sign32(digest: Uint8Array): Hex;
  /** In this node's name, as one payload. */
  say(group: Group): void;
  /** Sends these bytes, e.g. what was said before. */
  replay(to: Address, payload: Uint8Array): void;
  /** A payload with any text, in this node's name; null when nobody has the address. */
  sealText(to: Address, text: string): Uint8Array | null;
  /** A transaction of an account of its own, which pays whatever gas costs. */
  call(to: Address, data: Hex): void;
  /** What others have sent and no block has yet: everybody sees it. */
  waiting(): readonly { to: Address; data: Hex }[];
  memory: Memory;
};

/** All that was said and heard with one key, the oldest first; the newest so many are kept. */
export type Memory = {
  sent: readonly { to: Address; line: SentMessage }[];
  heard: readonly { from: Address; line: SentMessage }[];
  payloads: readonly { to: Address; payload: Uint8Array }[];
  secrets: Map<Hash, Secret>;
};
