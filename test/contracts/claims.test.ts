/**
 * What a channel's actor unlocks after a settlement, on the real contracts: all that pays, and nothing else.
 */
import fc from 'fast-check';
import { parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Hash, ZERO_HASH } from '../../src/basics/hex.ts';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { type ChannelEnd, proofAmounts } from '../../src/protocol/channel/channel-end.ts';
import { claimedAfter } from '../support/claiming.ts';
import { hashOf, secretOf } from '../support/makers.ts';
import {
  anyCase,
  type Case,
  EXPIRATION,
  newestOf,
  onChainOf,
  type Who,
} from '../support/proof-histories.ts';
import { type Chain, done, person, startChain } from './chain.ts';
import * as channel from './channel.ts';
import { NO_PROOF, type Place, packLocks, proofOf, type Signer, type Transfers } from './sign.ts';

const SIGNERS: Record<Who, Signer> = { own: person(1), partner: person(2) };
const SIDES = ['own', 'partner'] as const;
const FAR = 10n ** 9n;
const CASES = Number(process.env['SLUICE_CHAIN_CLAIMS'] ?? 40);

let chain: Chain;
let snapshot: unknown;
beforeAll(async () => {
  chain = await startChain();
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const other = (side: Who): Who => (side === 'own' ? 'partner' : 'own');
const tokensOf = (side: Who) => channel.balanceOf(chain, SIGNERS[side].address);

function transfersOf(end: ChannelEnd): Transfers {
  const { transferredAmount: transferred, lockedAmount: locked, locksroot } = proofAmounts(end);
  return { transferred, locked, locksroot };
}

function proofOfEnd(end: ChannelEnd) {
  return end.nonce === 0n ? NO_PROOF : proofOf(transfersOf(end), end.nonce);
}

async function openWith(given: Case): Promise<Place> {
  const place = await channel.open(chain, SIGNERS.own, SIGNERS.partner);
  for (const side of SIDES) {
    const [owner, partner] = [SIGNERS[side], SIGNERS[other(side)]];
    const { deposit } = newestOf(given, side);
    if (deposit > 0n) await channel.fundAndDeposit(chain, place, owner, partner, deposit);
  }
  for (const side of SIDES) {
    const [owner, partner] = [SIGNERS[side], SIGNERS[other(side)]];
    const { withdrawn } = newestOf(given, side);
    if (withdrawn === 0n) continue;
    const signed = await channel.consent(place, owner, partner, withdrawn, FAR);
    done(await channel.withdraw(chain, place.id, signed));
  }
  return place;
}

/** Each in the block that the case says, or later in the same way. */
async function registerAll({ revealed }: Case) {
  const numbers = new Map<Hash, number>(
    Array.from({ length: 40 }, (_, n): [Hash, number] => [hashOf(n + 1), n + 1]),
  );
  const register = (isEarly: boolean) =>
    chain.send({
      to: chain.deployment.secretRegistryAddress,
      abi: secretRegistryAbi,
      functionName: 'registerSecretBatch',
      args: [
        [...revealed].flatMap(([hash, block]) =>
          block < EXPIRATION === isEarly ? [secretOf(numbers.get(hash) ?? 0)] : [],
        ),
      ],
    });
  expect(done(await register(true)).block).toBeLessThan(EXPIRATION);
  await chain.goTo(EXPIRATION);
  done(await register(false));
}

async function closeAndSettle(place: Place, given: Case) {
  const { closer } = given;
  const [first, second] = [SIGNERS[closer], SIGNERS[other(closer)]];
  const brought = proofOfEnd(onChainOf(given, other(closer)));
  const closing = await channel.closeEvidence(place, first, second, brought);
  const { block } = done(await channel.close(chain, place.id, first, second, closing));
  const updated = proofOfEnd(onChainOf(given, closer));
  // One that says nothing is not brought, and the contract would not take it.
  if (updated.nonce > 0n && updated.balanceHash !== ZERO_HASH) {
    const evidence = await channel.updateEvidence(place, first, second, updated);
    done(await channel.update(chain, place.id, first, second, evidence));
  }
  await chain.goTo(block + 11n);
  const sides = SIDES.map((side) => ({
    ...transfersOf(onChainOf(given, side)),
    address: SIGNERS[side].address,
  }));
  const [one, two] = sides.toSorted((a, b) =>
    Number(a.transferred + a.locked - b.transferred - b.locked),
  );
  if (one === undefined || two === undefined) throw new Error('claims: two sides');
  const { logs } = done(await channel.settle(chain, place.id, one, two));
  const [event] = parseEventLogs({ abi: tokenNetworkAbi, eventName: 'ChannelSettled', logs });
  if (event === undefined) throw new Error('claims: no settlement');
  const { participant1, participant1_amount: amount1, participant2_amount: amount2 } = event.args;
  return participant1 === SIGNERS.own.address
    ? { own: amount1, partner: amount2 }
    : { own: amount2, partner: amount1 };
}

/** What the unlock of a side's locks brings to this node; null: the contract refuses it. */
async function gainOf(place: Place, given: Case, side: Who): Promise<bigint | null> {
  const before = await tokensOf('own');
  const locks = packLocks(onChainOf(given, side).locks);
  const [sender, receiver] = [SIGNERS[side].address, SIGNERS[other(side)].address];
  const outcome = await channel.unlock(chain, place.id, receiver, sender, locks);
  return outcome.ok ? (await tokensOf('own')) - before : null;
}

describe('a channel that was settled with any two balance proofs of its past', () => {
  const cases = fc
    .sample(anyCase(), CASES * 20)
    // Where both sides have locks there is the most to get wrong.
    .filter((given) => SIDES.some((side) => onChainOf(given, side).locks.length > 0))
    .slice(0, CASES)
    .map((given, n): [number, Case] => [n, given]);

  it.each(cases)(
    'gets all that its unlocks can bring, and sends no unlock in vain: random channel %i',
    async (_, given) => {
      const place = await openWith(given);
      await registerAll(given);
      const paid = await closeAndSettle(place, given);
      const claimed = claimedAfter(given, paid);
      for (const side of SIDES) {
        const gain = await gainOf(place, given, side);
        // The actor unlocks a side only when that pays this node.
        const isWorthIt = gain !== null && gain > 0n;
        expect({ side, isClaimed: claimed.includes(side) }).toEqual({ side, isClaimed: isWorthIt });
      }
    },
  );
});
