/** The rule that what a node's own channel can carry goes over nobody else. */
import { describe, expect, it } from 'vitest';
import { createDetours } from '../../../src/simulation/invariants/money/detours.ts';
import { CHANNEL, hashOf, NETWORK, PARTNER } from '../../support/makers.ts';
import { batch, blockOf, broken, honest, locked, WHO } from '../../support/rules.ts';

const ANOTHER = `${CHANNEL}1`;
const SECRETHASH = hashOf(1);
type Terms = {
  isReplaced?: boolean;
  balance?: bigint;
  pending?: number;
  undisturbedBlock?: bigint | null;
};

/** A node with 50 units in its channel with the payee, which pays 40: over which channels. */
function paid(over: readonly string[], terms: Terms = {}): number | null {
  const { balance = 50n, pending = 0, undisturbedBlock = 0n } = terms;
  const locks = Array.from({ length: pending }, (_, n) => {
    return { amount: 1n, expiration: 30n, secrethash: hashOf(10 + n) };
  });
  const rule = createDetours({
    channelIdOf: () => 1n,
    head: () => 10n,
    honest: () => ({ ...honest, name: 'node-1', address: PARTNER }),
    isInitiator: () => true,
    isOpen: () => true,
    machine: () => honest,
    tokenNetwork: NETWORK,
    signedSide: () => ({
      nonce: 1n,
      transferred: 0n,
      locks: new Map(locks.map((lock) => [lock.secrethash, lock])),
    }),
    undisturbedSince: () => undisturbedBlock,
    balanceOf: () => balance,
  });
  if (terms.isReplaced === true) rule.oracle.replaced?.(WHO);
  const arrived = rule.pays(WHO, { payee: PARTNER, amount: 40n });
  for (const channel of over)
    rule.oracle.commit?.(WHO, batch({ proofs: [locked({ channel, secrethash: SECRETHASH })] }));
  arrived(SECRETHASH);
  return broken(() => rule.oracle.block?.(blockOf(10n)));
}

describe('a payment', () => {
  it('that the channel with its payee can carry goes over nobody else', () => {
    expect(paid([CHANNEL])).toBeNull();
    expect(paid([ANOTHER])).toBe(9);
  });

  it('may go over others when that channel did not bring it there', () => {
    expect(paid([CHANNEL, ANOTHER])).toBeNull();
  });

  it('may go over others when that channel has too little, or many locks', () => {
    expect(paid([ANOTHER], { balance: 39n })).toBeNull();
    expect(paid([ANOTHER], { pending: 8 })).toBeNull();
  });

  it('may go over others when the chain has lost something of its channels', () => {
    expect(paid([ANOTHER], { isReplaced: true })).toBeNull();
  });

  it('may go over others while something is in the way', () => {
    expect(paid([ANOTHER], { undisturbedBlock: null })).toBeNull();
    expect(paid([ANOTHER], { undisturbedBlock: 10n })).toBeNull();
  });
});
