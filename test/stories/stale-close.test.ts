/** A partner closes with each proof that it ever got, and makes the most of it: the other side loses nothing. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import type { PartnerProof } from '../../src/protocol/channel/balance-proof.ts';
import { closeWith, isRegistered, proofsIn, registerSecrets } from '../support/cheating.ts';
import { type HangingPair, startHangingPair } from '../support/hanging.ts';
import { type Network, startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const SETTLE_TIMEOUT = 40n;
const WEALTH = 1_000n;
/** None at all, three payments that were made, one that ran out, two that hang, and the unlocks. */
const PROOFS = 9;

let network: Network;
let pair: HangingPair;
let proofs: (PartnerProof | null)[];
/** What bob's newest state says that he gets, if alice claims all that she can. */
let due: bigint;
/** The secret of a lock that alice owes bob; she does not help him to it. */
let owed: Secret;
/** The secrets of what bob has paid or owes her. */
let claims: Secret[];

/** Payments that were made, ran out and hang, in both directions, with withdrawals in between. */
beforeEach(async () => {
  network = startVirtualNetwork();
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
});
afterEach(() => network?.stop());

/** Alice closes, and claims what she can. */
async function cheat(proof: PartnerProof | null): Promise<void> {
  const { channelId, address } = pair;
  const closer = network.signerOf('alice');
  await closeWith(network, { closer, partner: address.bob, channelId }, proof);
  await registerSecrets(network, claims);
}

/** Bob brings his proof and his claims on chain. */
async function defend(): Promise<void> {
  const bob = await network.start('bob');
  await network.whileMining(until(() => isRegistered(network, owed), 'bob registers his secret'));
  await network.mine(SETTLE_TIMEOUT);
  // What is left in the contract then is alice's, for whom bob pays no gas.
  const isGone = () => bob.channel(network.token, pair.address.alice) === null;
  await network.whileMining(until(isGone, 'nothing of bob is left in the channel'));
}

describe('a partner that closes with an old proof', () => {
  it.each(Array.from({ length: PROOFS }, (_, age) => age))(
    'leaves the other side what its newest one says, also with number %i',
    async (number) => {
      expect(proofs).toHaveLength(PROOFS);
      await cheat(proofs[number] ?? null);
      await defend();
      const got = await network.tokensOf('bob');
      const left = await network.tokensInChannels();
      expect((await network.tokensOf('alice')) + left).toBe(2n * WEALTH - got);
      expect(got).toBeGreaterThanOrEqual(due);
      if (number === 0) expect(got).toBeGreaterThan(due);
      if (number === PROOFS - 1) expect(got).toBe(due);
    },
  );
});
