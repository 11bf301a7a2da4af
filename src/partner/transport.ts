import type { Address } from '../protocol/hex.ts';

/** Largest payload that is sent or handed on; NATS servers take 1 MiB unless told otherwise. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

/** Whether a node can be reached at this moment, as far as that can be known. */
export type Presence = 'reachable' | 'unreachable' | 'unknown';

/**
 * What the question whether a node listens has brought. Whoever told the public key (65 bytes, 4 | x | y)
 * may be anybody, but it is the address's own: an address is the hash of its key.
 */
export type Sighting =
  | { state: 'reachable'; publicKey: Uint8Array }
  | { state: 'unreachable' | 'unknown' };

/** Whether this node itself is on the network. */
export type Status = 'connected' | 'disconnected';

/**
 * What everybody may listen to: what nodes tell path-finding services, and monitoring services. `hello`:
 * somebody has begun to listen to one of these and has missed what was told before.
 */
export type Topic = 'pathfinding' | 'monitoring' | 'hello';

/**
 * How payloads get from node to node, without any promise: one may be lost, doubled, late, or forged by
 * anybody. Whoever sends repeats until it is acknowledged, whoever receives trusts only what is sealed or signed.
 */
export type Transport = {
  /**
   * Sends a payload to a node. Never throws: what cannot leave now is dropped. The caller leaves the bytes unchanged afterwards.
   */
  publish(to: Address, payload: Uint8Array): void;
  /**
   * Takes what arrives, at most `MAX_PAYLOAD_BYTES` each. Only from here on is this node reachable, and
   * tells whoever asks its public key, 65 bytes. There is one handler; an exception in it is a bug and
   * ends the process.
   */
  onMessage(handler: (payload: Uint8Array) => void, publicKey: Uint8Array): void;
  /** As `publish`, to whoever listens to the topic; it does not reach the sender itself over a bus. */
  broadcast(topic: Topic, payload: Uint8Array): void;
  /** Takes what is broadcast on the topic from now on. There is one handler for each topic. */
  onBroadcast(topic: Topic, handler: (payload: Uint8Array) => void): void;
  /**
   * Asks whether a node listens, and for its public key. The answer is not signed: anybody can give the
   * right one, so the state is good for display, not for money. A wrong one counts for nothing.
   */
  presence(address: Address): Promise<Sighting>;
  /** Told of each change from now on, `close` included; what is now is `isConnected()`. */
  onStatus(handler: (status: Status) => void): void;
  isConnected(): boolean;
  /**
   * Whether another process listens under this node's own address and has its key: two with one key would
   * sign conflicting messages. Only a proof of the key counts, made for this one question. To be asked before `onMessage` and once more after it, as two may start at
   * the same moment. False also when nobody could be asked; then ask again when connected.
   */
  findRival(): Promise<boolean>;
  /** Sends what is still under way, then leaves. The handlers hear nothing more but `disconnected`. */
  close(): Promise<void>;
};
