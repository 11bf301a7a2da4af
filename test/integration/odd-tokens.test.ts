/** Tokens of other habits, on a real chain: what channels cannot hold is refused before it costs anything. */
import { parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { tokenAbi } from '../../src/chain/abi.ts';
import { registerNewToken } from '../../src/contracts/tokens.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { anvilAccount, clientsFor } from '../support/chain.ts';
import { good, type RealNetwork, startNetwork, type TestNode } from '../support/network.ts';
import { deployOddToken, type Habit } from '../support/odd-tokens.ts';
import { until } from '../support/until.ts';

const oddAbi = parseAbi([
  'function mint(address to, uint256 num)',
  'function block_(address owner)',
]);

let network: RealNetwork;
let alice: TestNode;

beforeAll(async () => {
  network = await startNetwork({ deploy: { settleTimeoutMin: 20n, maxTokenNetworks: 20n } });
  alice = await network.start('alice');
});
afterAll(() => network?.stop());

const nonce = () =>
  network.chain.client.getTransactionCount({ address: network.addressOf('alice') });
const allowanceFor = (token: Address, spender: Address) =>
  network.chain.client.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'allowance',
    args: [network.addressOf('alice'), spender],
  });

/** A token of which alice has 1,000; without a network. */
async function createToken(habit: Habit, amount = 1_000n): Promise<Address> {
  const token = await deployOddToken(network.clients, habit);
  const { wallet } = network.clients;
  const args = [network.addressOf('alice'), amount] as const;
  const hash = await wallet.writeContract({
    address: token,
    abi: oddAbi,
    functionName: 'mint',
    args,
  });
  await confirmed(network.clients, hash, 'mint');
  return token;
}

/** The same with a network that others have registered. */
async function createNetwork(habit: Habit) {
  const token = await createToken(habit);
  const registry = network.contracts.tokenNetworkRegistryAddress;
  const tokenNetwork = await registerNewToken(network.clients, registry, token);
  await network.mine(3n);
  await until(() => alice.tokens().includes(token), 'the token is known');
  return { token, tokenNetwork };
}

const open = (token: Address, partner: string, totalDeposit = 1_000n) =>
  network.whileMining(
    alice.openChannel({
      token,
      partner: network.addressOf(partner),
      totalDeposit,
      settleTimeout: null,
      revealTimeout: null,
    }),
  );

describe('a token that channels cannot hold', () => {
  it.each<[Habit, RegExp]>([
    ['ReturnsNothing', /returns nothing/],
    ['ReturnsNothingWhenPaid', /returns nothing/],
    ['Fee', /Another amount arrives/],
    ['Rounds', /Another amount arrives/],
    ['Rebases', /change by themselves/],
  ])('is not registered when its habit is %s, and that costs nothing', async (habit, why) => {
    const token = await createToken(habit);
    const before = await nonce();
    const refused = await network.whileMining(alice.registerToken(token));
    expect(refused).toMatchObject({ ok: false, code: 'invalid_token' });
    expect(refused).toHaveProperty('detail', expect.stringMatching(why));
    expect(await nonce()).toBe(before);
  });

  it('is not registered for want of an answer either by a node that has none of it', async () => {
    const token = await createToken('ReturnsNothing', 0n);
    expect(await alice.registerToken(token)).toMatchObject({ code: 'invalid_token' });
  });

  it.each<[Habit, RegExp]>([
    ['ReturnsNothing', /returns nothing/],
    ['ReturnsNothingWhenPaid', /returns nothing/],
    ['Fee', /Another amount arrives/],
    ['Rounds', /Another amount arrives/],
  ])('is not deposited either when its habit is %s', async (habit, why) => {
    const { token, tokenNetwork } = await createNetwork(habit);
    const before = await nonce();
    const refused = await open(token, 'bob');
    expect(refused).toMatchObject({ ok: false, code: 'transaction_failed' });
    expect(refused).toHaveProperty('detail', expect.stringMatching(why));
    expect(await nonce()).toBe(before);
    expect(await allowanceFor(token, tokenNetwork)).toBe(0n);
  });

  it('is not deposited for a partner whom it has blocked', async () => {
    const { token } = await createNetwork('Blocks');
    const args = [network.addressOf('bob')] as const;
    const { wallet } = network.clients;
    const hash = await wallet.writeContract({
      address: token,
      abi: oddAbi,
      functionName: 'block_',
      args,
    });
    await confirmed(network.clients, hash, 'block');
    const before = await nonce();
    const refused = await open(token, 'bob');
    expect(refused).toHaveProperty('detail', expect.stringMatching(/refuses to pay the partner/));
    expect(await nonce()).toBe(before);
    good(await open(token, 'carol'));
  });
});

describe('a token that lets an allowance be changed only from zero', () => {
  it('is deposited although an allowance was left over', async () => {
    const token = await createToken('FromZero');
    const tokenNetwork = good(await network.whileMining(alice.registerToken(token)));
    const own = clientsFor(network.anvil.rpc, network.chain, anvilAccount(1));
    expect(own.wallet.account.address).toBe(network.addressOf('alice'));
    const hash = await own.wallet.writeContract({
      address: token,
      abi: tokenAbi,
      functionName: 'approve',
      args: [tokenNetwork, 7n],
    });
    await confirmed(own, hash, 'approve');
    const channel = good(await open(token, 'bob', 600n));
    expect(channel.totalDeposit).toBe(600n);
    const partner = network.addressOf('bob');
    expect(good(await network.whileMining(alice.deposit(token, partner, 900n))).totalDeposit).toBe(
      900n,
    );
    expect(await allowanceFor(token, tokenNetwork)).toBe(0n);
  });
});
