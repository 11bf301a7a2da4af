/**
 * What a node signs for a partner reaches it once nothing is in the way: in an open channel of two honest nodes each takes all
 * that the other has signed.
 */

import type { RecordProof } from '../../../../machines/effects.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Facts, Honest, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channelOf' | 'head' | 'honest' | 'machine' | 'quietSince'> & {
  /** Blocks in which the last message is repeated once more, and taken, when nothing is in the way any more. */
  healing: bigint;
};
/** One direction of a channel: the newest step that its receiver has not taken, and since when it has taken none. */
type Waiting = { who: string; channel: string; nonce: bigint; sinceBlock: bigint };

type Arrivals = Oracle & {
  /** Whether the channel is open, and the partner of the node in it is honest and takes what is signed for it. */
  isTaken(who: string, channel: string): boolean;
  /** The newest step of the node that its honest partner has not taken; null: it has taken all, or takes no more. */
  untaken(who: string, channel: string): bigint | null;
};

export function createArrivals(needs: Needs): Arrivals {
  const { channelOf, head, honest, machine, quietSince, healing } = needs;
  /** By the channel, and the name of the node that has signed. */
  const waiting = new Map<string, Map<string, Waiting>>();
  /** Channels that one of its ends has begun to close: what comes then is no longer taken. */
  const closing = new Set<string>();

  function signs(who: string, { channel, nonce }: RecordProof) {
    const ends = getOrMake(waiting, channel, () => new Map<string, Waiting>());
    const sinceBlock = ends.get(who)?.sinceBlock ?? head();
    ends.set(who, { who, channel, nonce, sinceBlock });
  }

  function takes(who: string, { channel, nonce }: RecordProof) {
    const ends = waiting.get(channel) ?? new Map<string, Waiting>();
    for (const [signer, known] of ends) {
      if (signer === who) continue;
      if (known.nonce <= nonce) ends.delete(signer);
      else known.sinceBlock = head();
    }
  }

  /** The node at the other end of an open channel, which takes what is signed for it; null: nobody does. */
  function receiverOf(who: string, channel: string): Honest | null {
    const own = machine(who)?.address;
    const facts = channelOf(channel);
    if (own === undefined || facts?.state !== 'opened' || closing.has(channel)) return null;
    const partner = facts.sides.find(({ address }) => address !== own);
    return partner === undefined ? null : honest(partner.address);
  }

  function check({ who, channel, nonce, sinceBlock }: Waiting, quietBlock: bigint) {
    const since = sinceBlock > quietBlock ? sinceBlock : quietBlock;
    if (head() - since <= healing) return;
    const partner = receiverOf(who, channel);
    if (partner === null) return;
    const text = `${partner.name} never takes what ${who} signs as ${nonce} of ${channel}`;
    throw new Violation(21, who, text);
  }

  return {
    isTaken: (who, channel) => receiverOf(who, channel) !== null,
    untaken(who, channel) {
      const nonce = waiting.get(channel)?.get(who)?.nonce;
      return nonce === undefined || receiverOf(who, channel) === null ? null : nonce;
    },
    commit(who, { proofs, jobs, gone }) {
      for (const channel of gone) waiting.delete(channel);
      for (const proof of proofs) (proof.side === 'own' ? signs : takes)(who, proof);
      for (const { key, actor } of jobs) if (key.startsWith('close:')) closing.add(actor);
    },
    block() {
      const quietBlock = quietSince();
      if (quietBlock === null) return;
      for (const ends of waiting.values()) for (const one of ends.values()) check(one, quietBlock);
    },
  };
}
