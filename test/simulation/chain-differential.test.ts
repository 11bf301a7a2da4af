import fc from 'fast-check';
import { encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { tokenNetworkRegistryAbi } from '../../src/contracts/generated/TokenNetworkRegistry.ts';
import { person } from '../contracts/chain.ts';
import { type BothChains, startBoth } from './both-chains.ts';
import { createLane, type Lane } from './lanes.ts';
import { type Step, TWISTS } from './story.ts';

/** How many stories are told; 20,000 take half an hour. */
const SEQUENCES = Number(process.env['SLUICE_SEQUENCES'] ?? 150);
const TOGETHER = 25;
/** Of what the contracts take. */
const GAS_TOLERANCE = 0.1;
const REVERTED_GAS_TOLERANCE = 0.35;
const LENGTH = 14;
const PAYERS = [1, 2, 3, 4, 5].map((index) => person(index).address);

const amounts = fc.oneof(
  { weight: 12, arbitrary: fc.bigInt({ min: 0n, max: 60n }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1_000n, 1_001n, 5_000n, 2n ** 127n, 2n ** 128n, 2n ** 129n),
  },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) },
);
const steps: fc.Arbitrary<Step> = fc.record({
  pick: fc.integer({ min: 0, max: 99 }),
  side: fc.constantFrom(0, 1),
  amount: amounts,
  other: fc.bigInt({ min: 0n, max: 12n }),
  twist: fc.oneof(
    { weight: 3, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...TWISTS) },
  ),
});
const stories = fc.record({
  lanes: fc.array(fc.array(steps, { minLength: LENGTH, maxLength: LENGTH }), {
    minLength: TOGETHER,
    maxLength: TOGETHER,
  }),
  /** Empty blocks before each one with calls. */
  gaps: fc.array(fc.constantFrom(0, 0, 1, 2, 5), { minLength: LENGTH, maxLength: LENGTH }),
});

describe('the model of the contracts', () => {
  let both: BothChains;
  beforeAll(async () => {
    both = await startBoth();
    await fundPayers(both);
  });
  afterAll(() => both.stop());

  it('pays a lock, as they do, only if its secret was registered in a block below its expiration', async () => {
    // Opened, a secret registered, closed with a lock on it, settled, unlocked. What is picked for the close
    // lets the lock expire one block before that registration, in the same block, and one block after it.
    const lanes = [21, 13, 5].map((pick) => [
      step({ pick: 1, amount: 50n }),
      step({ pick: 7, side: 1 }),
      step({ pick, side: 1, amount: 5n, other: 10n }),
      step({ pick: 5 }),
      step({ pick: 0 }),
    ]);
    const told = await play(both, { lanes, gaps: [0, 0, 0, 12, 0] });
    const received = told.map(({ balances }) => balances());
    expect(received).toEqual([
      [45n, 5n],
      [45n, 5n],
      [35n, 15n],
    ]);
  });

  it('rejects a call whose signature is cut off before it looks whether the withdrawal has expired', async () => {
    const [from = person(0).address] = PAYERS;
    const [first] = both.networks;
    const signature: Hex = `0x${'11'.repeat(65)}`;
    const withdrawal = { participant: from, total_withdraw: 1n, expiration_block: 1n };
    const signatures = { participant_signature: signature, partner_signature: signature };
    const data = encodeFunctionData({
      abi: tokenNetworkAbi,
      functionName: 'setTotalWithdraw2',
      args: [20n, { ...withdrawal, ...signatures }],
    });
    const whole = { from, to: first?.network ?? from, data };
    const cut = { ...whole, data: `0x${data.slice(2, -2 * 65)}` } as const;
    const receipts = await both.mine([whole, cut], 0);
    expect(receipts.map(({ run }) => run.reason)).toEqual(['TN/withdraw: expired', null]);
  });

  it('does what the compiled contracts do, whatever is sent to them', async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (told) => void (await play(both, told))),
      { numRuns: Math.ceil(SEQUENCES / TOGETHER), endOnFailure: true },
    );
    expect(both.gas.filter(({ isSuccess }) => isSuccess).length).toBeGreaterThan(SEQUENCES);
    expect(wrongGas(both, true, GAS_TOLERANCE)).toEqual([]);
    expect(wrongGas(both, false, REVERTED_GAS_TOLERANCE)).toEqual([]);
  }, 14_400_000);
});

/** Tells the stories side by side, one call of each in every block; throws where the two chains differ. */
async function play(
  both: BothChains,
  { lanes, gaps }: { lanes: readonly (readonly Step[])[]; gaps: readonly number[] },
): Promise<Lane[]> {
  const told = lanes.map((_, at) => {
    const payer = PAYERS[at % PAYERS.length] ?? person(0).address;
    return createLane(both, payer, at % 4 === 0 ? 1 : 0);
  });
  for (const [at, gap] of gaps.entries()) {
    const sendings = told.flatMap((lane, which) => {
      const step = lanes[which]?.[at];
      return step === undefined ? [] : [lane.next(step)];
    });
    await both.mine(sendings, gap);
  }
  await both.ask(told.flatMap((lane) => lane.questions()));
  return told;
}

/** So that deposits do not all fail for lack of tokens, and services not for lack of a registration. */
async function fundPayers(both: BothChains): Promise<void> {
  const abi = customTokenAbi;
  const { serviceTokenAddress, userDepositAddress, serviceRegistryAddress } = both.contracts;
  const most = 2n ** 140n;
  const spenders = [
    ...both.networks.map(({ address, network }) => [address, network] as const),
    [serviceTokenAddress, userDepositAddress] as const,
    [serviceTokenAddress, serviceRegistryAddress] as const,
  ];
  for (const from of PAYERS)
    await both.mine(
      spenders.flatMap(([to, spender]) => [
        { from, to, data: encodeFunctionData({ abi, functionName: 'mint', args: [most] }) },
        {
          from,
          to,
          data: encodeFunctionData({ abi, functionName: 'approve', args: [spender, 2n ** 200n] }),
        },
      ]),
      0,
    );
  const from = PAYERS[0] ?? person(0).address;
  const register = encodeFunctionData({
    abi: serviceRegistryAbi,
    functionName: 'deposit',
    args: [most],
  });
  const another = encodeFunctionData({
    abi: tokenNetworkRegistryAbi,
    functionName: 'createERC20TokenNetwork',
    args: [serviceTokenAddress, 10n, 20n],
  });
  const registry = both.contracts.tokenNetworkRegistryAddress;
  const sendings = [
    { from, to: serviceRegistryAddress, data: register },
    { from, to: registry, data: another },
    // Registered already.
    { from, to: registry, data: another },
  ];
  await both.mine(sendings, 0);
}

/** Calls whose gas the model is wrong about by more than this part of it, by function. */
function wrongGas({ gas }: BothChains, isSuccess: boolean, tolerance: number): string[] {
  const wrong = new Map<string, string>();
  for (const { signature, real, model, ...pair } of gas)
    if (pair.isSuccess === isSuccess && Math.abs(real - model) > tolerance * real)
      wrong.set(signature, `${signature}: ${model} and not ${real}`);
  return [...wrong.values()];
}

function step(chosen: Partial<Step>): Step {
  return { pick: 0, side: 0, amount: 0n, other: 0n, twist: 'none', ...chosen };
}
