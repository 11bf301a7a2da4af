import { keccak256, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { type Chain, done, person, startChain, toNetwork } from './chain.ts';
import * as channel from './channel.ts';
import {
  balanceHash,
  NO_HASH,
  NO_PROOF,
  NO_TRANSFERS,
  type Place,
  proofOf,
  signClose,
  signProof,
  signUpdate,
} from './sign.ts';

const TIMEOUT = 15n;
const BIGGEST_NONCE = 2n ** 64n - 1n;

const alice = person(1);
const bob = person(2);
const carol = person(3);

/** What Alice and Bob sent last. */
const BY_ALICE = { ...NO_TRANSFERS, transferred: 10n };
const BY_BOB = { ...NO_TRANSFERS, transferred: 30n };

let chain: Chain;
let place: Place;
let snapshot: unknown;

/** Alice deposited 70, Bob 30. */
beforeAll(async () => {
  chain = await startChain();
  place = await channel.open(chain, alice, bob, TIMEOUT);
  await channel.fundAndDeposit(chain, place, alice, bob, 70n);
  await channel.fundAndDeposit(chain, place, bob, alice, 30n);
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });

const close = async (proof = proofOf(BY_BOB, 5n)) =>
  channel.close(chain, place.id, alice, bob, await channel.closeEvidence(place, alice, bob, proof));

const update = async (proof = proofOf(BY_ALICE, 7n)) =>
  channel.update(
    chain,
    place.id,
    alice,
    bob,
    await channel.updateEvidence(place, alice, bob, proof),
  );

const settle = (one = BY_ALICE, two = BY_BOB) =>
  channel.settle(
    chain,
    place.id,
    { ...one, address: alice.address },
    { ...two, address: bob.address },
  );

describe('closing', () => {
  it("keeps the partner's balance proof and starts the settle timeout", async () => {
    const { logs, block } = done(await close());
    expect(parseEventLogs({ abi: tokenNetworkAbi, logs })).toMatchObject([
      {
        eventName: 'ChannelClosed',
        args: {
          channel_identifier: place.id,
          closing_participant: alice.address,
          nonce: 5n,
          balance_hash: balanceHash(BY_BOB),
        },
      },
    ]);
    expect(await channel.info(chain, place.id, alice, bob)).toEqual([block + TIMEOUT, 2]);
    expect(await channel.participantInfo(chain, place.id, bob, alice)).toMatchObject({
      deposited: 30n,
      isCloser: false,
      balanceHash: balanceHash(BY_BOB),
      nonce: 5n,
    });
    expect(await channel.participantInfo(chain, place.id, alice, bob)).toMatchObject({
      deposited: 70n,
      isCloser: true,
      balanceHash: NO_HASH,
      nonce: 0n,
    });
  });

  it('works for the participant with the lower address as well', async () => {
    const evidence = await channel.closeEvidence(place, bob, alice, proofOf(BY_ALICE, 9n));
    done(await channel.close(chain, place.id, bob, alice, evidence));
    const stored = await channel.participantInfo(chain, place.id, alice, bob);
    expect(stored).toMatchObject({ isCloser: false, nonce: 9n });
    const closer = await channel.participantInfo(chain, place.id, bob, alice);
    expect(closer).toMatchObject({ isCloser: true, nonce: 0n, balanceHash: NO_HASH });
  });

  it('without any balance proof stores none', async () => {
    const { logs } = done(await close(NO_PROOF));
    expect(parseEventLogs({ abi: tokenNetworkAbi, logs })).toMatchObject([
      { args: { nonce: 0n, balance_hash: NO_HASH } },
    ]);
    const stored = await channel.participantInfo(chain, place.id, bob, alice);
    expect(stored).toMatchObject({ nonce: 0n, balanceHash: NO_HASH });
  });

  it('with nonce 0 ignores whatever balance hash comes with it', async () => {
    done(await close({ ...proofOf(BY_BOB, 0n) }));
    const stored = await channel.participantInfo(chain, place.id, bob, alice);
    expect(stored).toMatchObject({ nonce: 0n, balanceHash: NO_HASH });
  });

  it('happens once', async () => {
    done(await close());
    expect(await close()).toEqual(refused('TN/close: channel not open'));
  });

  it('is refused for another channel or another pair', async () => {
    const evidence = await channel.closeEvidence(place, alice, bob, proofOf(BY_BOB, 5n));
    const mismatch = refused('TN/close: channel id mismatch');
    expect(await channel.close(chain, place.id + 1n, alice, bob, evidence)).toEqual(mismatch);
    expect(await channel.close(chain, place.id, alice, carol, evidence)).toEqual(mismatch);
    const none = await channel.close(chain, 0n, alice, carol, evidence);
    expect(none).toEqual(refused('TN/close: channel not open'));
  });

  it('wants the signatures of both, each in its place', async () => {
    const proof = proofOf(BY_BOB, 5n);
    const good = await channel.closeEvidence(place, alice, bob, proof);
    const send = (evidence: channel.Evidence) =>
      channel.close(chain, place.id, alice, bob, evidence);
    const byCarol = await signClose(carol, place, proof, good.senderSignature);
    expect(await send({ ...good, counterSignature: byCarol })).toEqual(
      refused('TN/close: invalid closing sig'),
    );
    const asUpdate = await signUpdate(alice, place, proof, good.senderSignature);
    expect(await send({ ...good, counterSignature: asUpdate })).toEqual(
      refused('TN/close: invalid closing sig'),
    );
    const senderSignature = await signProof(carol, place, proof);
    const counterSignature = await signClose(alice, place, proof, senderSignature);
    expect(await send({ proof, senderSignature, counterSignature })).toEqual(
      refused('TN/close: invalid non-closing sig'),
    );
    const higher = { ...good, proof: { ...proof, nonce: 6n } };
    expect(await send(higher)).toEqual(refused('TN/close: invalid closing sig'));
    expect(await send({ ...good, senderSignature: '0x' })).toEqual(
      refused('TN: sig length invalid'),
    );
  });

  it('takes the largest nonce that messages can carry, and none above', async () => {
    const above = await close(proofOf(BY_BOB, BIGGEST_NONCE + 1n));
    expect(above).toEqual(refused('TN: nonce too large'));
    done(await close(proofOf(BY_BOB, BIGGEST_NONCE)));
    const stored = await channel.participantInfo(chain, place.id, bob, alice);
    expect(stored).toMatchObject({ nonce: BIGGEST_NONCE });
    done(await update(proofOf(BY_ALICE, BIGGEST_NONCE)));
    const closer = await channel.participantInfo(chain, place.id, alice, bob);
    expect(closer).toMatchObject({ nonce: BIGGEST_NONCE, isCloser: true });
    expect((await channel.info(chain, place.id, alice, bob))[1]).toBe(2);
  });
});

describe('updating a closed channel', () => {
  it("keeps the closing participant's balance proof", async () => {
    done(await close());
    const { logs } = done(await update());
    expect(parseEventLogs({ abi: tokenNetworkAbi, logs })).toMatchObject([
      {
        eventName: 'NonClosingBalanceProofUpdated',
        args: {
          channel_identifier: place.id,
          closing_participant: alice.address,
          nonce: 7n,
          balance_hash: balanceHash(BY_ALICE),
        },
      },
    ]);
    expect(await channel.participantInfo(chain, place.id, alice, bob)).toMatchObject({
      isCloser: true,
      balanceHash: balanceHash(BY_ALICE),
      nonce: 7n,
    });
    expect(await channel.participantInfo(chain, place.id, bob, alice)).toMatchObject({ nonce: 5n });
  });

  it('may be repeated with higher nonces only', async () => {
    done(await close());
    done(await update(proofOf(BY_ALICE, 7n)));
    expect(await update(proofOf(BY_ALICE, 7n))).toEqual(refused('TN: nonce reused'));
    expect(await update(proofOf(BY_ALICE, 6n))).toEqual(refused('TN: nonce reused'));
    done(await update(proofOf({ ...BY_ALICE, transferred: 11n }, 8n)));
    const stored = await channel.participantInfo(chain, place.id, alice, bob);
    expect(stored.balanceHash).toBe(balanceHash({ ...BY_ALICE, transferred: 11n }));
  });

  it('is possible after the settle timeout until somebody settles', async () => {
    const { block } = done(await close());
    await chain.goTo(block + TIMEOUT + 20n);
    done(await update());
    done(await settle());
    expect(await update(proofOf(BY_ALICE, 8n))).toEqual(refused('TN/update: channel id mismatch'));
  });

  it('is refused before the close', async () => {
    expect(await update()).toEqual(refused('TN/update: channel not closed'));
  });

  it('is refused without a balance hash or a nonce, or with a nonce that is too large', async () => {
    done(await close());
    const noHash = { ...proofOf(BY_ALICE, 7n), balanceHash: NO_HASH };
    expect(await update(noHash)).toEqual(refused('TN/update: balance hash is zero'));
    expect(await update(proofOf(BY_ALICE, 0n))).toEqual(refused('TN/update: nonce is zero'));
    const above = await update(proofOf(BY_ALICE, BIGGEST_NONCE + 1n));
    expect(above).toEqual(refused('TN: nonce too large'));
  });

  it('wants the signatures of both, each in its place', async () => {
    done(await close());
    const proof = proofOf(BY_ALICE, 7n);
    const good = await channel.updateEvidence(place, alice, bob, proof);
    const send = (evidence: channel.Evidence) =>
      channel.update(chain, place.id, alice, bob, evidence);
    const byCarol = await signUpdate(carol, place, proof, good.senderSignature);
    expect(await send({ ...good, counterSignature: byCarol })).toEqual(
      refused('TN/update: invalid non-closing sig'),
    );
    const asClose = await signClose(bob, place, proof, good.senderSignature);
    expect(await send({ ...good, counterSignature: asClose })).toEqual(
      refused('TN/update: invalid non-closing sig'),
    );
    const senderSignature = await signProof(carol, place, proof);
    const counterSignature = await signUpdate(bob, place, proof, senderSignature);
    expect(await send({ proof, senderSignature, counterSignature })).toEqual(
      refused('TN/update: invalid closing sig'),
    );
  });

  it('is refused to the participant who closed', async () => {
    done(await close());
    const evidence = await channel.updateEvidence(place, bob, alice, proofOf(BY_BOB, 6n));
    const outcome = await channel.update(chain, place.id, bob, alice, evidence);
    expect(outcome).toEqual(refused('TN/update: incorrect signature order'));
  });

  it('is refused for another channel or another pair', async () => {
    done(await close());
    const evidence = await channel.updateEvidence(place, alice, bob, proofOf(BY_ALICE, 7n));
    const mismatch = refused('TN/update: channel id mismatch');
    expect(await channel.update(chain, place.id + 1n, alice, bob, evidence)).toEqual(mismatch);
    expect(await channel.update(chain, place.id, alice, carol, evidence)).toEqual(mismatch);
  });
});

describe('settling', () => {
  it('is refused in the settle block and works in the next one', async () => {
    const { block } = done(await close());
    done(await update());
    await chain.goTo(block + TIMEOUT);
    expect(await settle()).toEqual(refused('TN/settle: settle timeout not over'));
    expect(await chain.block()).toBe(block + TIMEOUT);
    expect(await settle()).toMatchObject({ ok: true, block: block + TIMEOUT + 1n });
    expect(await channel.balanceOf(chain, alice.address)).toBe(90n);
    expect(await channel.balanceOf(chain, bob.address)).toBe(10n);
    expect(await channel.balanceOf(chain, chain.network)).toBe(0n);
  });

  it('takes its arguments in structs as well', async () => {
    const { block } = done(await close());
    done(await update());
    await chain.goTo(block + TIMEOUT + 1n);
    const input = (address: `0x${string}`, sent: typeof BY_ALICE) => ({
      participant: address,
      transferred_amount: sent.transferred,
      locked_amount: sent.locked,
      locksroot: sent.locksroot,
    });
    const args = [place.id, input(alice.address, BY_ALICE), input(bob.address, BY_BOB)] as const;
    done(await chain.send({ ...toNetwork(chain), functionName: 'settleChannel2', args }));
    expect(await channel.balanceOf(chain, alice.address)).toBe(90n);
  });

  it('accepts only the amounts and locksroots whose hash is stored, for both sides', async () => {
    const { block } = done(await close());
    done(await update());
    await chain.goTo(block + TIMEOUT + 1n);
    const invalid = refused('TN/settle: invalid data');
    expect(await settle({ ...BY_ALICE, transferred: 9n })).toEqual(invalid);
    expect(await settle(BY_ALICE, { ...BY_BOB, transferred: 31n })).toEqual(invalid);
    expect(await settle({ ...BY_ALICE, locked: 1n })).toEqual(invalid);
    expect(await settle({ ...BY_ALICE, locksroot: keccak256('0x99') })).toEqual(invalid);
    expect(await settle(NO_TRANSFERS)).toEqual(invalid);
    const { address } = alice;
    const turned = await channel.settle(
      chain,
      place.id,
      { ...BY_BOB, address: bob.address },
      { ...BY_ALICE, address },
    );
    expect(turned).toEqual(refused('TN: transfers not ordered'));
    expect(await settle()).toMatchObject({ ok: true });
  });

  it('accepts for a side without a balance proof only amounts of zero, but any locksroot', async () => {
    const { block } = done(await close());
    await chain.goTo(block + TIMEOUT + 1n);
    expect(await settle()).toEqual(refused('TN/settle: invalid data'));
    expect(await settle({ ...NO_TRANSFERS, locked: 1n })).toEqual(
      refused('TN/settle: invalid data'),
    );
    done(await settle({ ...NO_TRANSFERS, locksroot: keccak256('0x77') }));
    expect(await channel.balanceOf(chain, alice.address)).toBe(100n);
    const stored = await channel.participantInfo(chain, place.id, alice, bob);
    expect(stored).toMatchObject({ locked: 0n, locksroot: NO_HASH });
  });

  it('is refused for an open channel, another pair, and twice', async () => {
    expect(await settle()).toEqual(refused('TN/settle: channel not closed'));
    const { block } = done(await close(NO_PROOF));
    await chain.goTo(block + TIMEOUT + 1n);
    const withCarol = await channel.settle(
      chain,
      place.id,
      { ...NO_TRANSFERS, address: alice.address },
      { ...NO_TRANSFERS, address: carol.address },
    );
    expect(withCarol).toEqual(refused('TN/settle: channel id mismatch'));
    done(await settle(NO_TRANSFERS, NO_TRANSFERS));
    expect(await settle(NO_TRANSFERS, NO_TRANSFERS)).toEqual(
      refused('TN/settle: channel id mismatch'),
    );
  });

  it('lets the pair open a new channel at once', async () => {
    const { block } = done(await close(NO_PROOF));
    await chain.goTo(block + TIMEOUT + 1n);
    done(await settle(NO_TRANSFERS, NO_TRANSFERS));
    const next = await channel.open(chain, alice, bob);
    expect(next.id).toBe(place.id + 1n);
    expect(await channel.info(chain, place.id, alice, bob)).toEqual([0n, 4]);
    expect(await channel.info(chain, next.id, alice, bob)).toEqual([10n, 1]);
    expect(await channel.info(chain, next.id + 1n, alice, bob)).toEqual([0n, 0]);
    expect(await channel.info(chain, 0n, alice, bob)).toEqual([0n, 0]);
  });
});
