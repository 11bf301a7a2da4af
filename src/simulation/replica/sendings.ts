/**
 * Which transactions a machine of a replicated node cannot know of: what protects money goes to the chain before the
 * stream has it, and if the stream never gets it, the machine that takes over sends the same once more, under another
 * nonce. It costs the gas of a call that reverts, at most once for each call and takeover.
 */

import { isHex, keccak256 } from 'viem';
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Hash } from '../../basics/hex.ts';
import type { Endpoint } from '../chain/endpoint.ts';

/** What sends: the disk of a machine, which is another one when the machine has lost it. */
type Sender = { disk: object; isOwner: boolean };
type Sent = { nonce: number; hash: Hash };

export function createSendings() {
  /** Who was the first to send a transaction, by its hash. */
  const senders = new Map<Hash, Sender>();
  /** The nonces of which the stream has a transaction. */
  const recorded = new Set<number>();
  /** The nonce that repeats a transaction, by that one's nonce, for each disk that knew no better. */
  const repeats = new Map<object, Map<number, number>>();

  return {
    /** A machine gives a transaction to its endpoint. `isOwner`: the stream is its own. */
    sends(hash: Hash, disk: object, isOwner: boolean): void {
      if (!senders.has(hash)) senders.set(hash, { disk, isOwner });
    },
    /** The stream has a transaction with this nonce. */
    records: (nonce: number) => void recorded.add(nonce),
    /**
     * Whether whoever sent `second` could not know of `first`, the same call: another disk had sent it, and either the
     * stream never got it or the sender did not own the stream any more. True for one such nonce of a disk.
     */
    couldNotKnow(first: Sent, second: Sent): boolean {
      const before = senders.get(first.hash);
      const sender = senders.get(second.hash);
      if (before === undefined || sender === undefined || before.disk === sender.disk) return false;
      if (recorded.has(first.nonce) && sender.isOwner) return false;
      const own = getOrMake(repeats, sender.disk, () => new Map<number, number>());
      const repeat = getOrMake(own, first.nonce, () => second.nonce);
      return repeat === second.nonce;
    },
  };
}

/** The endpoint, whose calls are overheard: `onSend` hears each transaction before it is sent. */
export function overheard(endpoint: Endpoint, onSend: (hash: Hash) => void): Endpoint {
  return {
    ...endpoint,
    request(request) {
      const [raw]: unknown[] = Array.isArray(request.params) ? request.params : [];
      if (request.method === 'eth_sendRawTransaction' && isHex(raw)) onSend(keccak256(raw));
      return endpoint.request(request);
    },
  };
}
