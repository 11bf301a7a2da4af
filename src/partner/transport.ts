import type { Address } from '../basics/hex.ts';

/** Largest payload that is sent or passed on; NATS servers take 1 MiB unless they are configured otherwise. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

/** Whether a node can be reached at this moment, as far as that can be known. */
export type PresenceAnswer = 'reachable' | 'unreachable' | 'unknown';

/**
 * The answer to the question whether a node listens. Anybody may have told the public key (65 bytes, 4 | x | y), but
 * it is the address's own: an address is the hash of its key.
 */
export type Sighting =
  | { state: 'reachable'; publicKey: Uint8Array }
  | { state: 'unreachable' | 'unknown' };

/** `fenced`: another process has the key, but both write into one stream, which takes records of one of them only. */
export type Rival = 'none' | 'fenced' | 'free';

/** Whether this node itself is on the network. */
export type Status = 'connected' | 'disconnected';

/**
 * The topics that everybody may listen to: messages to path-finding services, and to monitoring services. `hello`:
 * somebody has begun to listen to one of these and has missed what was sent before.
 */
export type Topic = 'pathfinding' | 'monitoring' | 'hello';

/**
 * How payloads get from node to node, without any guarantee: one may be lost, doubled, late, or forged by anybody.
 * The sender repeats a message until it is acknowledged, the receiver trusts only what is sealed or signed.
 */
export type Transport = {
  /**
   * Sends a payload to a node. Never throws: a payload that cannot leave now is dropped. The caller must not change
   * the bytes afterwards.
   */
  publish(to: Address, payload: Uint8Array): void;
  /**
   * Sets the handler of the payloads that arrive, at most `MAX_PAYLOAD_BYTES` each. Only from here on is this node
   * reachable, and answers presence requests with its public key, 65 bytes. There is one handler; an exception in it
   * is a bug and ends the process.
   */
  onMessage(handler: (payload: Uint8Array) => void, publicKey: Uint8Array): void;
  /** As `publish`, to all that listen to the topic; over a bus the sender itself does not get it. */
  broadcast(topic: Topic, payload: Uint8Array): void;
  /** Sets the handler of what is broadcast on the topic from now on. There is one handler for each topic. */
  onBroadcast(topic: Topic, handler: (payload: Uint8Array) => void): void;
  /**
   * Asks whether a node listens, and for its public key. The answer is not signed: anybody can give the right one, so
   * the state is good for display, not for money. An answer with a wrong key is ignored.
   */
  presence(address: Address): Promise<Sighting>;
  /**
   * Calls the handler at each change from now on, the one by `close` included; `isConnected()` tells the present
   * state.
   */
  onStatus(handler: (status: Status) => void): void;
  isConnected(): boolean;
  /**
   * Whether another process listens under this node's own address and has its key: two processes with one key would
   * sign conflicting messages. Only a proof of the key counts, made for this one question. To be asked before
   * `onMessage` and once more after it, as two processes may start at the same moment. `none` also when nobody could
   * be asked; then it is to be asked again once connected.
   */
  findRival(): Promise<Rival>;
  /**
   * How often that is to be asked again while connected. Servers of one broker may have lost each other and found each
   * other again, with a process at each, and no connection of a node was lost. Absent: that cannot be.
   */
  rivalIntervalMs?: number;
  /** Sends what is still under way, then leaves. The handlers get nothing more but `disconnected`. */
  close(): Promise<void>;
};
