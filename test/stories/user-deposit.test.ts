/** The user deposit and minting, by nodes that run in this process on a real chain. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { anvilCall } from '../support/chain.ts';
import { good, startVirtualNetwork, type TestNode } from '../support/network.ts';
import { until } from '../support/until.ts';

const DELAY = 100n;
const WEALTH = 100n;

const network = startVirtualNetwork();
afterAll(() => network.stop());

const { client } = network.chain;
const contract = network.contracts.userDepositAddress;
const service = network.contracts.serviceTokenAddress;
const at = { address: contract, abi: userDepositAbi } as const;

/** A node of its own, with service tokens. */
async function rich(name: string): Promise<TestNode> {
  await mintTokens(network.clients, service, network.addressOf(name), WEALTH);
  return network.start(name);
}
const mining = network.whileMining;
const head = () => client.getBlockNumber({ cacheTime: 0 });
const sent = (node: TestNode) => client.getTransactionCount({ address: node.ownAddress });
const tokensOf = (owner: Address, token = service) =>
  client.readContract({
    address: token,
    abi: customTokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });
const heldFor = async ({ ownAddress: owner }: TestNode) => ({
  balance: await client.readContract({ ...at, functionName: 'balances', args: [owner] }),
  total: await client.readContract({ ...at, functionName: 'total_deposit', args: [owner] }),
  plan: await client.readContract({ ...at, functionName: 'withdraw_plans', args: [owner] }),
});

describe('a node with a user deposit', async () => {
  const alice = await rich('alice');
  const bob = await rich('bob');

  it('pays in once for two equal orders at once, and answers both with the deposit', async () => {
    const before = await sent(alice);
    const both = [alice.depositToUserDeposit(60n), alice.depositToUserDeposit(60n)];
    const [first, second] = (await mining(Promise.all(both))).map(good);
    expect(first).toEqual(second);
    expect(await sent(alice)).toBe(before + 2);
    const receipt = await client.getTransactionReceipt({ hash: first?.transactionHash ?? '0x' });
    expect(receipt).toMatchObject({ status: 'success', to: contract.toLowerCase() });
    expect(await heldFor(alice)).toMatchObject({ balance: 60n, total: 60n });
    expect(await tokensOf(alice.ownAddress)).toBe(WEALTH - 60n);
  });

  it('refuses orders that the contract or its own tokens do not allow, before any transaction', async () => {
    const before = await sent(alice);
    const refusals = [
      [await alice.depositToUserDeposit(60n), 'total_not_higher'],
      [await alice.depositToUserDeposit(101n), 'insufficient_balance'],
      [await alice.depositToUserDeposit(2n ** 256n), 'above_limit'],
      [await alice.planUserDepositWithdraw(0n), 'invalid_amount'],
      [await alice.planUserDepositWithdraw(61n), 'above_balance'],
      [await alice.withdrawUserDeposit(0n), 'invalid_amount'],
      [await alice.withdrawUserDeposit(1n), 'above_plan'],
    ] as const;
    for (const [answer, code] of refusals) expect(answer).toMatchObject({ ok: false, code });
    expect(await sent(alice)).toBe(before);
  });

  it('handles one order at a time, and refuses others as busy', async () => {
    const before = await sent(alice);
    const first = alice.depositToUserDeposit(70n);
    await until(async () => (await sent(alice)) > before, 'the first is on its way');
    const others = await Promise.all([
      alice.depositToUserDeposit(71n),
      alice.planUserDepositWithdraw(1n),
      alice.withdrawUserDeposit(1n),
    ]);
    for (const answer of others) expect(answer).toMatchObject({ ok: false, code: 'busy' });
    good(await mining(first));
    expect(await heldFor(alice)).toMatchObject({ total: 70n });
  });

  it('plans, and says from which block on it can withdraw: not two blocks before, but in it', async () => {
    const { transactionHash, plannedWithdrawBlock } = good(
      await mining(alice.planUserDepositWithdraw(50n)),
    );
    const { blockNumber } = await client.getTransactionReceipt({ hash: transactionHash });
    expect(plannedWithdrawBlock).toBe(blockNumber + DELAY);
    expect((await heldFor(alice)).plan).toEqual([50n, plannedWithdrawBlock]);

    await network.mine(plannedWithdrawBlock - 2n - (await head()));
    expect(await alice.withdrawUserDeposit(51n)).toMatchObject({ code: 'above_plan' });
    expect(await alice.withdrawUserDeposit(50n)).toMatchObject({
      ok: false,
      code: 'too_early',
      detail: expect.stringContaining(`from block ${plannedWithdrawBlock} on`),
    });
    await network.mine(1n);
    const taken = alice.withdrawUserDeposit(20n);
    const { transactionHash: hash } = good(await mining(taken));
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await heldFor(alice)).toEqual({ balance: 50n, total: 70n, plan: [0n, 0n] });
    expect(await tokensOf(alice.ownAddress)).toBe(WEALTH - 50n);
    expect(await alice.withdrawUserDeposit(1n)).toMatchObject({ code: 'above_plan' });
  });

  it('counts the new total from the old one, not from what is left', async () => {
    expect(await alice.depositToUserDeposit(65n)).toMatchObject({ code: 'total_not_higher' });
    good(await mining(alice.depositToUserDeposit(75n)));
    expect(await heldFor(alice)).toMatchObject({ balance: 55n, total: 75n });
  });

  it('lets a newer plan take the place of the one before', async () => {
    const first = good(await mining(bob.depositToUserDeposit(10n)));
    expect(first.transactionHash).toMatch(/^0x/);
    const older = good(await mining(bob.planUserDepositWithdraw(4n)));
    const newer = good(await mining(bob.planUserDepositWithdraw(7n)));
    expect(newer.plannedWithdrawBlock).toBeGreaterThan(older.plannedWithdrawBlock);
    expect((await heldFor(bob)).plan).toEqual([7n, newer.plannedWithdrawBlock]);
  });

  it('withdraws what an earlier database planned, once for two equal orders', async () => {
    const [amount, withdrawBlock] = (await heldFor(bob)).plan;
    await bob.stop();
    network.forget('bob');
    const anew = await network.start('bob');
    await network.mine(withdrawBlock - (await head()));
    const before = await sent(anew);
    const both = [anew.withdrawUserDeposit(amount), anew.withdrawUserDeposit(amount)];
    const [first, second] = (await mining(Promise.all(both))).map(good);
    expect(first).toEqual(second);
    expect(await sent(anew)).toBe(before + 1);
    expect(await heldFor(anew)).toEqual({ balance: 3n, total: 10n, plan: [0n, 0n] });
  });

  it('without gas money says so, and holds on to its tokens', async () => {
    const { ownAddress } = alice;
    const money = await client.getBalance({ address: ownAddress });
    await anvilCall(network.chain, 'anvil_setBalance', ownAddress, '0x0');
    const answers = [
      await mining(alice.depositToUserDeposit(76n)),
      await mining(alice.planUserDepositWithdraw(5n)),
      await mining(alice.mint(network.token, ownAddress, 1n)),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: false, code: 'insufficient_gas' });
    await anvilCall(network.chain, 'anvil_setBalance', ownAddress, `0x${money.toString(16)}`);
    expect(await heldFor(alice)).toMatchObject({ total: 75n, plan: [0n, 0n] });
  });

  it('answers with the block of a plan that a reorganisation moved', async () => {
    await mintTokens(network.clients, service, network.addressOf('carol'), WEALTH);
    const carol = await network.start('carol', { settings: { confirmations: 3n } });
    good(await mining(carol.depositToUserDeposit(10n)));
    const plan = carol.planUserDepositWithdraw(4n);
    await until(async () => (await heldFor(carol)).plan[0] === 4n, 'the plan is mined');
    const [, before] = (await heldFor(carol)).plan;
    await anvilCall(network.chain, 'anvil_reorg', 1, []);
    const { plannedWithdrawBlock, transactionHash } = good(await mining(plan));
    const { blockNumber } = await client.getTransactionReceipt({ hash: transactionHash });
    expect(plannedWithdrawBlock).toBe(blockNumber + DELAY);
    expect((await heldFor(carol)).plan).toEqual([4n, plannedWithdrawBlock]);
    expect(plannedWithdrawBlock).toBeGreaterThan(before);
    await carol.stop();
  });

  it('refuses every order, whatever its amount, when it was started without the contract', async () => {
    const contracts = { ...network.contracts, userDepositAddress: null };
    const carol = await network.start('carol', { settings: { contracts } });
    const answers = [
      await carol.depositToUserDeposit(0n),
      await carol.planUserDepositWithdraw(0n),
      await carol.withdrawUserDeposit(0n),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: false, code: 'no_user_deposit' });
    await carol.stop();
  });

  it('mints test tokens for anybody', async () => {
    const to = network.addressOf('carol');
    const before = await tokensOf(to, network.token);
    const { transactionHash } = good(await mining(alice.mint(network.token, to, 12n)));
    const receipt = await client.getTransactionReceipt({ hash: transactionHash });
    expect(receipt).toMatchObject({ status: 'success', to: network.token.toLowerCase() });
    expect(await tokensOf(to, network.token)).toBe(before + 12n);
  });

  it.each([
    ['nothing', 0n, network.token],
    ['more than a token can count', 2n ** 256n, network.token],
    ['what makes the supply overflow', 2n ** 256n - 1n, network.token],
    ['what no contract is behind', 1n, network.addressOf('carol')],
    ['what cannot be minted', 1n, contract],
  ])('does not mint %s', async (_, value, token) => {
    const before = await sent(alice);
    expect(await alice.mint(token, alice.ownAddress, value)).toMatchObject({
      ok: false,
      code: 'mint_failed',
      detail: expect.stringMatching(/\w/),
    });
    expect(await sent(alice)).toBe(before);
  });

  it('answers a repeated order with the deposit that it began before a restart', async () => {
    const before = await sent(alice);
    const cut = alice.depositToUserDeposit(80n);
    await until(async () => (await heldFor(alice)).total === 80n, 'the deposit is mined');
    await alice.stop();
    expect(await cut).toMatchObject({ ok: false, code: 'shutting_down' });
    const anew = await network.start('alice');
    expect(await anew.depositToUserDeposit(81n)).toMatchObject({ ok: false, code: 'busy' });
    const { transactionHash: hash } = good(await mining(anew.depositToUserDeposit(80n)));
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await sent(anew)).toBe(before + 2);
    expect(await anew.depositToUserDeposit(80n)).toMatchObject({ code: 'total_not_higher' });
  });

  it('mints nothing on the main network', async () => {
    const carol = await network.start('carol', { settings: { isProduction: true } });
    expect(await carol.mint(network.token, carol.ownAddress, 0n)).toMatchObject({
      ok: false,
      code: 'main_network',
    });
    await carol.stop();
  });
});
