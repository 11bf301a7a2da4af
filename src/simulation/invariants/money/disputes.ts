/**
 * When no better balance proof can be brought any more, the chain has the newest proof that the channel's honest
 * end accepted: after its own close at once, or, when its partner closed, before the channel can be settled.
 */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { RecordProof } from '../../../../machines/effects.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { ZERO_HASH } from '../../../basics/hex.ts';
import type { SideFacts } from '../../chain/contracts/token-network.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'tokenNetwork' | 'channel' | 'head' | 'honest'>;
type Taken = { nonce: bigint; balanceHash: Hash };

export function createDisputes({ tokenNetwork, channel, head, honest }: Needs): Oracle {
  /** The newest accepted proof of each node's partner, by machine and channel. */
  const taken = new Map<string, Taken>();
  /** Channels that are closed but not settled. */
  const closed = new Set<bigint>();

  function note(who: string, { side, channel: id, nonce, balanceHash }: RecordProof) {
    if (side !== 'partner') return;
    const known = taken.get(`${who} ${id}`);
    if (known === undefined || known.nonce < nonce)
      taken.set(`${who} ${id}`, { nonce, balanceHash });
  }

  const newest = (who: string, id: bigint) =>
    taken.get(`${who} ${channelActorId({ tokenNetwork, channelId: id })}`)?.balanceHash ??
    ZERO_HASH;

  /** Checks the proof of a partner on chain for the other end of the channel, `own`. */
  function check(id: bigint, own: Address, theirs: SideFacts, invariant: 24 | 25) {
    const machine = honest(own);
    if (machine === null || !machine.isFit) return;
    const { name } = machine;
    const best = newest(name, id);
    if (best === ZERO_HASH || best === theirs.balanceHash) return;
    throw new Violation(
      invariant,
      name,
      `${name} has a newer proof of channel ${id} than the one that stands on chain`,
    );
  }

  function look(id: bigint) {
    const facts = channel(id);
    if (facts === null || facts.state !== 'closed') return void closed.delete(id);
    const isNew = !closed.has(id);
    closed.add(id);
    const [one, other] = facts.sides;
    const closer = one.isCloser ? one : other;
    const left = one.isCloser ? other : one;
    if (isNew) check(id, closer.address, left, 24);
    if (head() === facts.settle) check(id, left.address, closer, 25);
  }

  return {
    commit(who, { proofs }) {
      for (const proof of proofs) note(who, proof);
    },
    block({ logs }) {
      for (const id of closed) look(id);
      for (const { address, encoded } of logs) {
        const [, id] = encoded.topics;
        if (address === tokenNetwork && id !== undefined && !closed.has(BigInt(id)))
          look(BigInt(id));
      }
    },
  };
}
