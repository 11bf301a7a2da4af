import { describe, expect, it } from 'vitest';
import { type Hash, toHex } from '../../../src/basics/hex.ts';
import {
  type ProofSources,
  proofSources,
  withSettledProofs,
} from '../../../src/node/chain/settled-proofs.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { encodeLock, type Lock } from '../../../src/protocol/channel/lock.ts';
import { openChannel } from '../../support/channel-makers.ts';
import { factOf } from '../../support/fact.ts';
import {
  CHANNEL,
  closed,
  hashOf,
  PARTNER,
  secretRevealed,
  settled,
  settledProof,
} from '../../support/makers.ts';

const lock = (n: number): Lock => ({ amount: BigInt(n), expiration: 50n, secrethash: hashOf(n) });
const packed = (...locks: Lock[]) => locks.map((one) => toHex(encodeLock(one)));
const PROOF = { nonce: 4n, transferredAmount: 7n, lockedAmount: 6n, locksroot: hashOf(3) };
const HASH = hashOf(8);

function sources(parts: Partial<ProofSources> = {}): ProofSources {
  return {
    disputeOf: () => ({ ownHash: HASH, partnerHash: null }),
    findProof: (_, side, hash) => (side === 'own' && hash === HASH ? PROOF : null),
    locksAt: (_, __, nonce) => (nonce === 4n ? packed(lock(1), lock(2), lock(3)) : []),
    registeredSecret: () => null,
    ...parts,
  };
}

/** What the settlement carries when it comes to the channel. */
function carried(given: ProofSources) {
  const { proofs: _, ...log } = settled();
  const [delivery] = withSettledProofs([{ to: CHANNEL, event: log }], given);
  return factOf(delivery?.event ?? {}, 'proofs');
}

const revealedIn = (blocks: Record<Hash, bigint | null>) => (secrethash: Hash) => {
  const block = blocks[secrethash];
  return block === undefined ? null : { block };
};

describe('a settlement', () => {
  it('carries what the proofs on chain say, and nothing for a side without one', () => {
    expect(carried(sources())).toEqual({
      own: settledProof({ transferred: 7n, locked: 6n }),
      partner: settledProof(),
    });
  });

  it('counts the locks whose secret was registered before they ended', () => {
    const registeredSecret = revealedIn({ [hashOf(1)]: 49n, [hashOf(2)]: 50n, [hashOf(3)]: 10n });
    expect(carried(sources({ registeredSecret }))).toMatchObject({
      own: { claimable: 4n, paid: [hashOf(1), hashOf(3)] },
    });
  });

  it('does not say what can be claimed when the block of a registration was replaced', () => {
    const registeredSecret = revealedIn({ [hashOf(2)]: null });
    expect(carried(sources({ registeredSecret }))).toMatchObject({
      own: { locked: 6n, claimable: null },
    });
  });

  it('says that a proof is not known that is not in the database', () => {
    expect(carried(sources({ findProof: () => null }))).toEqual({
      own: null,
      partner: settledProof(),
    });
  });

  it('of a channel that was not closed, or is not there, has no proofs', () => {
    const nothing = { own: settledProof(), partner: settledProof() };
    expect(carried(sources({ disputeOf: () => null }))).toEqual(nothing);
  });

  it('knows of a close in the same blocks, as soon as that has had its effect', () => {
    let dispute: ReturnType<ProofSources['disputeOf']> = null;
    const deliveries = [
      { to: CHANNEL, event: closed(PARTNER) },
      { to: CHANNEL, event: settled() },
    ];
    const drawn = withSettledProofs(deliveries, sources({ disputeOf: () => dispute }));
    expect(drawn.next().value).toEqual(deliveries[0]);
    dispute = { ownHash: HASH, partnerHash: null };
    expect(drawn.next().value?.event).toMatchObject({ proofs: { own: { transferred: 7n } } });
  });
});

describe('what is known of proofs and secrets', () => {
  const stored = { ...sources(), registeredSecret: revealedIn({ [hashOf(1)]: 9n }) };
  const { snapshot } = openChannel().tell(closed(PARTNER, { nonce: 4n, balanceHash: HASH }));
  const known = proofSources(
    {
      actors: { stateOf: (id) => (id === CHANNEL ? stateFrom(id, snapshot) : null) },
      store: stored,
    },
    [secretRevealed(12n, 2)],
  );

  it('holds the secrets of the same blocks beside those on disk', () => {
    expect(known.registeredSecret(hashOf(1))).toEqual({ block: 9n });
    expect(known.registeredSecret(hashOf(2))).toEqual({ block: 12n });
    expect(known.registeredSecret(hashOf(3))).toBeNull();
  });

  it('asks the channel what stands on chain', () => {
    expect(known.disputeOf(CHANNEL)).toMatchObject({ ownHash: HASH, partnerHash: null });
    expect(known.disputeOf('channel:0x:2')).toBeNull();
  });
});
