/** A partner closes with each proof that it ever got, and makes the most of it: the other side loses nothing. */
import { copyFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PartnerProof } from '../../machines/effects.ts';
import type { Secret } from '../../src/protocol/hex.ts';
import { anvilCall } from '../support/chain.ts';
import { closeWith, isRegistered, proofsIn, registerSecrets } from '../support/cheating.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { type RealNetwork, startNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const SETTLE_TIMEOUT = 40n;
const WEALTH = 1_000n;

let network: RealNetwork;
let pair: HangingPair;
let proofs: (PartnerProof | null)[];
/** What bob's newest state says that he gets, if alice claims all that she can. */
let due: bigint;
/** The secret of a lock that alice owes bob; she does not help him to it. */
let owed: Secret;
/** The secrets of what bob has paid or owes her. */
let claims: Secret[];

/** Payments that were made, ran out and hang, in both directions, with withdrawals in between. */
beforeAll(async () => {
  network = await startNetwork();
  pair = await startHangingPair(network, WEALTH);
  await pair.pay({ from: 'alice', amount: 100n });
  claims = [await pair.pay({ from: 'bob', amount: 50n })];
  await pair.withdraw('bob', 30n);
  const lost = [
    await pair.hang({ from: 'alice', amount: 7n }, 'unknown'),
    await pair.hang({ from: 'bob', amount: 5n }, 'unknown'),
  ];
  claims.push(await pair.pay({ from: 'bob', amount: 3n }));
  await network.whileMining(Promise.all(lost.map(({ end }) => end)));
  await pair.withdraw('alice', 20n);
  await pair.pay({ from: 'alice', amount: 11n });
  owed = (await pair.hang({ from: 'alice', amount: 40n }, 'known')).secret;
  claims.push((await pair.hang({ from: 'bob', amount: 60n }, 'known')).secret);
  await pair.hang({ from: 'alice', amount: 80n }, 'unknown');
  await pair.hang({ from: 'bob', amount: 90n }, 'unknown');
  // What the channel gives him, the lock that alice owes him, and the one of his that she cannot claim.
  due = (await network.tokensOf('bob')) + pair.view('bob').balance + 40n + 90n;
  proofs = proofsIn(pair.sentBy('bob'));
  await pair.stop();
  copyFileSync(network.databaseOf('bob'), `${network.databaseOf('bob')}.kept`);
}, 120_000);
afterAll(() => network?.stop());

/** Alice closes, and claims what she can. */
async function cheat(proof: PartnerProof | null): Promise<void> {
  const { channelId, address } = pair;
  const closer = network.signerOf('alice');
  await closeWith(network, { closer, partner: address.bob, channelId }, proof);
  await registerSecrets(network, claims);
}

/** Bob starts from the same state each time, and brings his proof and his claims on chain. */
async function defend(): Promise<void> {
  network.forget('bob');
  copyFileSync(`${network.databaseOf('bob')}.kept`, network.databaseOf('bob'));
  const bob = await network.start('bob');
  await network.whileMining(until(() => isRegistered(network, owed), 'bob registers his secret'));
  await network.mine(SETTLE_TIMEOUT);
  const isEmpty = async () => (await network.tokensInChannels()) === 0n;
  await network.whileMining(until(isEmpty, 'nothing is left in the channel'));
  await bob.stop();
}

describe('a partner that closes with an old proof', () => {
  it('leaves the other side what its newest one says, whichever it was', async () => {
    const got: bigint[] = [];
    for (const proof of proofs) {
      const snapshot = await anvilCall(network.chain, 'evm_snapshot');
      await cheat(proof);
      await defend();
      got.push(await network.tokensOf('bob'));
      expect(await network.tokensOf('alice')).toBe(2n * WEALTH - (await network.tokensOf('bob')));
      await anvilCall(network.chain, 'evm_revert', snapshot);
    }
    // The proofs: none at all, three payments that were made, one that ran out, two that hang.
    expect(got).toHaveLength(9);
    expect(got.filter((tokens) => tokens < due)).toEqual([]);
    expect(got.at(-1)).toBe(due);
    expect(got.at(0)).toBeGreaterThan(due);
  }, 120_000);
});
