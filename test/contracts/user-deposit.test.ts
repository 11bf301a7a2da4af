import { maxUint256, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Address, ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { userDepositAbi, userDepositBytecode } from '../../src/contracts/generated/UserDeposit.ts';
import { type Chain, done, person, startChain } from './chain.ts';
import { fundService } from './services.ts';

const LIMIT = 1_000n;
const DELAY = 100n;

const alice = person(1).address;
const bob = person(2).address;

let chain: Chain;
let snapshot: unknown;

beforeAll(async () => {
  chain = await startChain({ deploy: { userDepositLimit: LIMIT } });
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });
const userDeposit = (from: Address) =>
  ({ to: chain.deployment.userDepositAddress, abi: userDepositAbi, from }) as const;

const fund = (owner: Address, amount: bigint) =>
  fundService(chain, owner, chain.deployment.userDepositAddress, amount);

const deposit = (from: Address, beneficiary: Address, total: bigint) =>
  chain.send({ ...userDeposit(from), functionName: 'deposit', args: [beneficiary, total] });
const plan = (from: Address, amount: bigint) =>
  chain.send({ ...userDeposit(from), functionName: 'planWithdraw', args: [amount] });
const withdraw = (from: Address, amount: bigint) =>
  chain.send({ ...userDeposit(from), functionName: 'withdraw', args: [amount] });

const numberOf = (
  functionName: 'balances' | 'total_deposit' | 'effectiveBalance',
  owner: Address,
) =>
  chain.clients.public.readContract({
    address: chain.deployment.userDepositAddress,
    abi: userDepositAbi,
    functionName,
    args: [owner],
  });
const planOf = (owner: Address) =>
  chain.clients.public.readContract({
    address: chain.deployment.userDepositAddress,
    abi: userDepositAbi,
    functionName: 'withdraw_plans',
    args: [owner],
  });
const wholeBalance = () =>
  chain.clients.public.readContract({
    address: chain.deployment.userDepositAddress,
    abi: userDepositAbi,
    functionName: 'whole_balance',
  });
const tokensOf = (owner: Address) =>
  chain.clients.public.readContract({
    address: chain.deployment.serviceTokenAddress,
    abi: customTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });

/** Calls transfer as one of the two contracts that may. */
async function transferAs(caller: Address, sender: Address, receiver: Address, amount: bigint) {
  await chain.rpc('hardhat_impersonateAccount', [caller]);
  await chain.rpc('hardhat_setBalance', [caller, '0xde0b6b3a7640000']);
  const args = [sender, receiver, amount] as const;
  return chain.send({ ...userDeposit(caller), functionName: 'transfer', args });
}

describe('the user deposit', () => {
  it('credits the beneficiary with tokens of the caller', async () => {
    await fund(alice, 50n);
    done(await deposit(alice, bob, 20n));
    done(await deposit(alice, bob, 50n));
    expect(await numberOf('balances', bob)).toBe(50n);
    expect(await numberOf('total_deposit', bob)).toBe(50n);
    expect(await wholeBalance()).toBe(50n);
    expect(await tokensOf(alice)).toBe(0n);
  });

  it('refuses a total that does not grow', async () => {
    await fund(alice, 50n);
    const reason = 'deposit not increasing';
    expect(await deposit(alice, alice, 0n)).toEqual(refused(reason));
    done(await deposit(alice, alice, 20n));
    expect(await deposit(alice, alice, 20n)).toEqual(refused(reason));
    expect(await deposit(alice, alice, 19n)).toEqual(refused(reason));
  });

  it('reaches its limit over all owners and not more', async () => {
    await fund(alice, LIMIT + 1n);
    done(await deposit(alice, bob, 400n));
    expect(await deposit(alice, alice, 601n)).toEqual(refused('too much deposit'));
    expect(await deposit(alice, alice, maxUint256)).toEqual(refused('overflowing deposit'));
    done(await deposit(alice, alice, 600n));
  });

  it('is initialised by its deployment, and refuses a second initialisation', async () => {
    const { monitoringServiceAddress, oneToNAddress } = chain.deployment;
    const args = [monitoringServiceAddress, oneToNAddress] as const;
    const again = await chain.send({ ...userDeposit(alice), functionName: 'init', args });
    expect(again).toEqual(refused('already initialized'));
  });

  it('refuses an initialisation without two contracts', async () => {
    const hash = await chain.clients.wallet.deployContract({
      abi: userDepositAbi,
      bytecode: userDepositBytecode,
      args: [chain.deployment.serviceTokenAddress, 1n],
    });
    const { contractAddress } = await chain.clients.public.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('not deployed');
    const { oneToNAddress: contract } = chain.deployment;
    const init = (service: Address, payments: Address) =>
      chain.send({
        to: contractAddress,
        abi: userDepositAbi,
        functionName: 'init',
        args: [service, payments],
      });
    expect(await init(ZERO_ADDRESS, contract)).toEqual(refused('MS contract at address zero'));
    expect(await init(alice, contract)).toEqual(refused('MS contract has no code'));
    expect(await init(contract, ZERO_ADDRESS)).toEqual(refused('OneToN at address zero'));
    expect(await init(contract, alice)).toEqual(refused('OneToN has no code'));
    expect(await init(contract, contract)).toMatchObject({ ok: true });
  });
});

describe('withdrawing from the user deposit', () => {
  beforeEach(async () => {
    await fund(alice, 100n);
    done(await deposit(alice, alice, 100n));
  });

  it('is refused 99 blocks after the plan and works 100 blocks after it', async () => {
    const { block, logs } = done(await plan(alice, 60n));
    expect(parseEventLogs({ abi: userDepositAbi, logs })).toMatchObject([
      { eventName: 'WithdrawPlanned', args: { withdrawer: alice, plannedBalance: 40n } },
    ]);
    expect(await planOf(alice)).toEqual([60n, block + DELAY]);
    await chain.goTo(block + DELAY - 1n);
    expect(await withdraw(alice, 60n)).toEqual(refused('withdrawing too early'));
    const paid = done(await withdraw(alice, 60n));
    expect(paid.block).toBe(block + DELAY);
    expect(parseEventLogs({ abi: userDepositAbi, logs: paid.logs })).toMatchObject([
      { eventName: 'BalanceReduced', args: { owner: alice, newBalance: 40n } },
    ]);
    expect(await tokensOf(alice)).toBe(60n);
    expect(await numberOf('total_deposit', alice)).toBe(100n);
    expect(await wholeBalance()).toBe(40n);
  });

  it('plans more than nothing and not more than the balance', async () => {
    expect(await plan(alice, 0n)).toEqual(refused('withdrawing zero'));
    expect(await plan(alice, 101n)).toEqual(refused('withdrawing too much'));
    expect(await plan(bob, 1n)).toEqual(refused('withdrawing too much'));
    done(await plan(alice, 100n));
    expect(await numberOf('effectiveBalance', alice)).toBe(0n);
  });

  it('starts its delay anew with a new plan', async () => {
    const { block } = done(await plan(alice, 60n));
    await chain.goTo(block + 50n);
    done(await plan(alice, 10n));
    expect(await planOf(alice)).toEqual([10n, block + 50n + DELAY]);
    await chain.goTo(block + DELAY);
    expect(await withdraw(alice, 10n)).toEqual(refused('withdrawing too early'));
  });

  it('may take less than planned, which ends the plan', async () => {
    const { block } = done(await plan(alice, 60n));
    await chain.goTo(block + DELAY);
    expect(await withdraw(alice, 61n)).toEqual(refused('withdrawing more than planned'));
    done(await withdraw(alice, 5n));
    expect(await planOf(alice)).toEqual([0n, 0n]);
    expect(await withdraw(alice, 5n)).toEqual(refused('withdrawing more than planned'));
    expect(await numberOf('effectiveBalance', alice)).toBe(95n);
  });

  it('of nothing ends the plan and pays nothing', async () => {
    const { block } = done(await plan(alice, 60n));
    await chain.goTo(block + DELAY);
    done(await withdraw(alice, 0n));
    expect(await planOf(alice)).toEqual([0n, 0n]);
    expect(await numberOf('balances', alice)).toBe(100n);
  });

  it('pays no more than what is left of the deposit when it is made', async () => {
    const { block } = done(await plan(alice, 60n));
    done(await transferAs(chain.deployment.oneToNAddress, alice, bob, 70n));
    expect(await numberOf('effectiveBalance', alice)).toBe(0n);
    await chain.goTo(block + DELAY);
    done(await withdraw(alice, 60n));
    expect(await tokensOf(alice)).toBe(30n);
    expect(await wholeBalance()).toBe(70n);
  });

  it('can pay somebody else, but not the zero address', async () => {
    const { block } = done(await plan(alice, 60n));
    await chain.goTo(block + DELAY);
    const to = (beneficiary: Address) =>
      chain.send({
        ...userDeposit(alice),
        functionName: 'withdrawToBeneficiary',
        args: [60n, beneficiary],
      });
    expect(await to(ZERO_ADDRESS)).toEqual(refused('beneficiary is zero'));
    done(await to(bob));
    expect(await tokensOf(bob)).toBe(60n);
  });
});

describe('moving tokens inside the user deposit', () => {
  beforeEach(async () => {
    await fund(alice, 100n);
    done(await deposit(alice, alice, 100n));
  });

  it('is refused to everybody but the two service contracts', async () => {
    const { monitoringServiceAddress, oneToNAddress } = chain.deployment;
    const stranger = await transferAs(alice, alice, bob, 1n);
    expect(stranger).toEqual(refused('unknown caller'));
    const { logs } = done(await transferAs(monitoringServiceAddress, alice, bob, 30n));
    expect(parseEventLogs({ abi: userDepositAbi, logs })).toMatchObject([
      { eventName: 'BalanceReduced', args: { owner: alice, newBalance: 70n } },
    ]);
    done(await transferAs(oneToNAddress, alice, bob, 70n));
    expect(await numberOf('balances', alice)).toBe(0n);
    expect(await numberOf('balances', bob)).toBe(100n);
    expect(await wholeBalance()).toBe(100n);
  });

  it('does nothing when the balance is too low or the amount is zero', async () => {
    const { oneToNAddress } = chain.deployment;
    for (const amount of [0n, 101n]) {
      expect(done(await transferAs(oneToNAddress, alice, bob, amount)).logs).toEqual([]);
    }
    expect(await numberOf('balances', alice)).toBe(100n);
    expect(await numberOf('balances', bob)).toBe(0n);
  });

  it('refuses to move from an owner to itself', async () => {
    const outcome = await transferAs(chain.deployment.oneToNAddress, alice, alice, 1n);
    expect(outcome).toEqual(refused('sender == receiver'));
  });
});
