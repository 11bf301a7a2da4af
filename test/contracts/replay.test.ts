import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deployToken, registerNewToken } from '../../src/contracts/tokens.ts';
import { type Chain, done, person, startChain, toNetwork } from './chain.ts';
import * as channel from './channel.ts';
import { NO_PROOF, NO_TRANSFERS, type Place, proofOf } from './sign.ts';

const FAR = 10n ** 9n;

const alice = person(1);
const bob = person(2);

const BY_ALICE = { ...NO_TRANSFERS, transferred: 10n };
const BY_BOB = { ...NO_TRANSFERS, transferred: 30n };

let chain: Chain;
/** Same accounts, same contract addresses, same channel identifiers, another chain id. */
let otherChain: Chain;
let otherNetwork: Chain;
let place: Place;
let snapshots: unknown[];

async function openFunded(where: Chain): Promise<Place> {
  const opened = await channel.open(where, alice, bob);
  await channel.fundAndDeposit(where, opened, alice, bob, 70n);
  await channel.fundAndDeposit(where, opened, bob, alice, 30n);
  return opened;
}

beforeAll(async () => {
  chain = await startChain();
  otherChain = await startChain({ chainId: 31_338 });
  const token = await deployToken(chain.clients, { name: 'Other', symbol: 'OTH' });
  const { tokenNetworkRegistryAddress } = chain.deployment;
  const network = await registerNewToken(chain.clients, tokenNetworkRegistryAddress, token, {
    participantLimit: 1_000n,
    networkLimit: 1_000n,
  });
  otherNetwork = { ...chain, token, network };
  place = await openFunded(chain);
});
beforeEach(async () => {
  snapshots = [await chain.rpc('evm_snapshot'), await otherChain.rpc('evm_snapshot')];
});
afterEach(async () => {
  await chain.rpc('evm_revert', [snapshots[0]]);
  await otherChain.rpc('evm_revert', [snapshots[1]]);
});

/** Ends the channel without any transfer, and opens the pair's next one. */
async function reopened(): Promise<Chain> {
  const evidence = await channel.closeEvidence(place, alice, bob, NO_PROOF);
  const { block } = done(await channel.close(chain, place.id, alice, bob, evidence));
  await chain.goTo(block + 11n);
  const nothing = (address: `0x${string}`) => ({ ...NO_TRANSFERS, address });
  done(await channel.settle(chain, place.id, nothing(alice.address), nothing(bob.address)));
  return chain;
}

/** Other places where the signatures might be tried: each opens a funded channel between the same two. */
const ELSEWHERE: [string, () => Promise<{ where: Chain; target: Place }>][] = [
  [
    'another chain with the same addresses and identifiers',
    async () => {
      expect(otherChain.network).toBe(chain.network);
      return { where: otherChain, target: await openFunded(otherChain) };
    },
  ],
  [
    'another token network',
    async () => {
      const target = await openFunded(otherNetwork);
      expect(target.id).toBe(place.id);
      return { where: otherNetwork, target };
    },
  ],
  [
    "the pair's next channel",
    async () => {
      const where = await reopened();
      return { where, target: await openFunded(where) };
    },
  ],
];

describe.each(ELSEWHERE)('what was signed for one channel, on %s', (_text, elsewhere) => {
  it('does not close', async () => {
    const evidence = await channel.closeEvidence(place, alice, bob, proofOf(BY_BOB, 5n));
    const { where, target } = await elsewhere();
    const replayed = await channel.close(where, target.id, alice, bob, evidence);
    expect(replayed).toEqual({ ok: false, reason: 'TN/close: invalid closing sig' });
    const mixed = await channel.closeEvidence(target, alice, bob, proofOf(BY_BOB, 5n));
    const { senderSignature } = evidence;
    const withOldProof = await channel.close(where, target.id, alice, bob, {
      ...mixed,
      senderSignature,
    });
    expect(withOldProof).toEqual({ ok: false, reason: 'TN/close: invalid closing sig' });
    const fresh = await channel.closeEvidence(target, alice, bob, proofOf(BY_BOB, 5n));
    expect(await channel.close(where, target.id, alice, bob, fresh)).toMatchObject({ ok: true });
  });

  it('does not close even when the closing participant signs it anew', async () => {
    const old = await channel.closeEvidence(place, alice, bob, proofOf(BY_BOB, 5n));
    const { where, target } = await elsewhere();
    const evidence = await channel.closeEvidenceWith(target, alice, old);
    const outcome = await channel.close(where, target.id, alice, bob, evidence);
    expect(outcome).toEqual({ ok: false, reason: 'TN/close: invalid non-closing sig' });
  });

  it('does not update', async () => {
    const evidence = await channel.updateEvidence(place, alice, bob, proofOf(BY_ALICE, 7n));
    const { where, target } = await elsewhere();
    const closing = await channel.closeEvidence(target, alice, bob, proofOf(BY_BOB, 5n));
    done(await channel.close(where, target.id, alice, bob, closing));
    const replayed = await channel.update(where, target.id, alice, bob, evidence);
    expect(replayed).toEqual({ ok: false, reason: 'TN/update: invalid non-closing sig' });
    const signedAnew = await channel.updateEvidenceWith(target, bob, evidence);
    expect(await channel.update(where, target.id, alice, bob, signedAnew)).toEqual({
      ok: false,
      reason: 'TN/update: invalid closing sig',
    });
    const fresh = await channel.updateEvidence(target, alice, bob, proofOf(BY_ALICE, 7n));
    expect(await channel.update(where, target.id, alice, bob, fresh)).toMatchObject({ ok: true });
  });

  it('does not withdraw', async () => {
    const signed = await channel.consent(place, alice, bob, 40n, FAR);
    const { where, target } = await elsewhere();
    const replayed = await channel.withdraw(where, target.id, signed);
    expect(replayed).toEqual({ ok: false, reason: 'TN/withdraw: invalid participant sig' });
    const fresh = await channel.consent(target, alice, bob, 40n, FAR);
    const { participant_signature } = fresh;
    const half = await channel.withdraw(where, target.id, { ...signed, participant_signature });
    expect(half).toMatchObject({ ok: false });
    expect(await channel.withdraw(where, target.id, fresh)).toMatchObject({ ok: true });
  });

  it('does not settle cooperatively', async () => {
    const ending = async (at: Place) =>
      [
        await channel.consent(at, alice, bob, 60n, FAR),
        await channel.consent(at, bob, alice, 40n, FAR),
      ] as const;
    const old = await ending(place);
    const { where, target } = await elsewhere();
    const send = (inputs: Awaited<ReturnType<typeof ending>>) =>
      where.send({
        ...toNetwork(where),
        functionName: 'cooperativeSettle',
        args: [target.id, ...inputs],
      });
    expect(await send(old)).toEqual({ ok: false, reason: 'TN/withdraw: invalid participant sig' });
    const fresh = await ending(target);
    expect(await send([fresh[0], old[1]])).toMatchObject({ ok: false });
    expect(await send([old[0], fresh[1]])).toMatchObject({ ok: false });
    expect(await send(fresh)).toMatchObject({ ok: true });
  });
});

describe('what was signed for a channel that is gone', () => {
  it('does nothing under its old identifier', async () => {
    const closing = await channel.closeEvidence(place, alice, bob, proofOf(BY_BOB, 5n));
    const updating = await channel.updateEvidence(place, alice, bob, proofOf(BY_ALICE, 7n));
    const signed = await channel.consent(place, alice, bob, 40n, FAR);
    await openFunded(await reopened());
    const mismatch = (step: string) => ({ ok: false, reason: `TN/${step}: channel id mismatch` });
    expect(await channel.close(chain, place.id, alice, bob, closing)).toEqual(mismatch('close'));
    expect(await channel.update(chain, place.id, alice, bob, updating)).toEqual(mismatch('update'));
    expect(await channel.withdraw(chain, place.id, signed)).toEqual(mismatch('withdraw'));
  });

  it('pays no withdrawal a second time', async () => {
    const signed = await channel.consent(place, alice, bob, 40n, FAR);
    done(await channel.withdraw(chain, place.id, signed));
    const again = await channel.withdraw(chain, place.id, signed);
    expect(again).toEqual({ ok: false, reason: 'TN/withdraw: amount is zero' });
  });
});
