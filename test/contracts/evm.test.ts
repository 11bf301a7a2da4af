/** What is said of the contracts on a chain in this process holds on anvil as well. */
import { type Hex, keccak256, numberToHex, sha256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import {
  type AnvilChain,
  type Chain,
  type Outcome,
  person,
  startChain,
  startChainOnAnvil,
} from './chain.ts';
import * as channel from './channel.ts';
import { NO_PROOF, NO_TRANSFERS, packLocks, proofOf } from './sign.ts';

const alice = person(1);
const bob = person(2);
const SECRET = numberToHex(1, { size: 32 });
const LOCKS = packLocks([{ expiration: 10n ** 9n, amount: 5n, secrethash: sha256(SECRET) }]);
const BY_ALICE = { transferred: 10n, locked: 5n, locksroot: keccak256(LOCKS) };
const BY_BOB = { ...NO_TRANSFERS, transferred: 7n };
const NO_ABI = [
  { type: 'function', name: 'none', stateMutability: 'nonpayable', inputs: [], outputs: [] },
] as const;

let evm: Chain;
let anvil: AnvilChain;
beforeAll(async () => {
  evm = await startChain();
  anvil = await startChainOnAnvil();
});
afterAll(() => anvil.stop());

/** Without what depends on the time of the block. */
function timeless(outcome: Outcome) {
  if (!outcome.ok) return outcome;
  const logs = outcome.logs.map(({ address, topics, data }) => ({ address, topics, data }));
  return { ...outcome, logs };
}

/** Each step of a channel from its opening to its unlock, and calls that are refused. */
async function life(chain: Chain) {
  const place = await channel.open(chain, alice, bob);
  await channel.fundAndDeposit(chain, place, alice, bob, 50n);
  await channel.fundAndDeposit(chain, place, bob, alice, 30n);
  const signed = await channel.consent(place, alice, bob, 20n, 10n ** 9n);
  const closing = await channel.closeEvidence(place, alice, bob, proofOf(BY_BOB, 1n));
  const updating = await channel.updateEvidence(place, alice, bob, proofOf(BY_ALICE, 2n));
  const [one, two] = [
    { ...BY_BOB, address: bob.address },
    { ...BY_ALICE, address: alice.address },
  ];
  const settle = () => channel.settle(chain, place.id, one, two);
  const register = (secret: Hex) =>
    chain.send({
      to: chain.deployment.secretRegistryAddress,
      abi: secretRegistryAbi,
      functionName: 'registerSecret',
      args: [secret],
    });
  const ruined = { ...closing, proof: NO_PROOF };
  const steps = [
    () => channel.withdraw(chain, place.id, signed),
    () => channel.close(chain, place.id, alice, bob, ruined),
    () => channel.close(chain, place.id, alice, bob, closing),
    () => channel.update(chain, place.id, alice, bob, updating),
    settle,
    () => register(SECRET),
    () => chain.send({ to: chain.network, abi: NO_ABI, functionName: 'none' }),
  ];
  const outcomes: Outcome[] = [];
  for (const step of steps) outcomes.push(await step());
  await chain.goTo((await chain.block()) + 12n);
  outcomes.push(await settle());
  outcomes.push(await channel.unlock(chain, place.id, bob.address, alice.address, LOCKS));
  return { outcomes: outcomes.map(timeless), block: await chain.block() };
}

describe('the chain in this process', () => {
  it('deploys the contracts to the addresses that anvil gives them', () => {
    expect([evm.deployment, evm.network, evm.token]).toEqual([
      anvil.deployment,
      anvil.network,
      anvil.token,
    ]);
  });

  it('takes and refuses what anvil does, for the same gas and reasons, with the same logs', async () => {
    const here = await life(evm);
    expect(here.outcomes.map(({ ok }) => ok)).toEqual([
      true,
      false,
      true,
      true,
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(here).toEqual(await life(anvil));
  });
});
