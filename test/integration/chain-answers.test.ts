/** What an endpoint says to a sending is words: whatever they are, nothing is given up that may still be mined. */
import { randomBytes } from 'node:crypto';
import { type Hex, isHex, keccak256, parseTransaction, sha256 } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Address, parseAddress, type Secret, toHex } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import { registerSecretCalls } from '../../src/chain/queue/calls.ts';
import type { Job, JobOutcome, TransactionStorage } from '../../src/chain/queue/jobs.ts';
import { createTransactions, type Transactions } from '../../src/chain/queue/transactions.ts';
import {
  secretRegistryAbi,
  secretRegistryBytecode,
} from '../../src/contracts/generated/SecretRegistry.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import {
  anvilAccount,
  anvilCall,
  clientsFor,
  connected,
  memoryStorage,
  mine,
} from '../support/chain.ts';
import { type RpcCall, type RpcProxy, type RpcRule, startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

const account = anvilAccount(5);

let anvil: Anvil;
let proxy: RpcProxy;
/** Straight to the chain; the queue goes through the proxy. */
let direct: ChainConnection;
let proxied: ChainConnection;
let secretRegistry: Address;
let storage: TransactionStorage;
let queue: Transactions;
let outcomes: Map<string, JobOutcome[]>;

beforeEach(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.rpc);
  direct = await connected(anvil.rpc);
  proxied = await connected(proxy.rpc);
  const clients = clientsFor(anvil.rpc, direct, anvilAccount(0));
  const creation = { abi: secretRegistryAbi, bytecode: secretRegistryBytecode };
  const hash = await clients.wallet.deployContract(creation);
  const created = parseAddress((await confirmed(clients, hash, 'deploy')).contractAddress);
  if (created === null) throw new Error('no contract');
  secretRegistry = created;
  storage = memoryStorage();
  outcomes = new Map();
  await anvilCall(direct, 'evm_setAutomine', false);
  queue = createTransactions({
    client: proxied.client,
    account,
    storage,
    onEnded: (key, outcome) => void outcomes.set(key, [...(outcomes.get(key) ?? []), outcome]),
    onFailure: (error) => expect.fail(String(error)),
    onTrouble() {},
    pollIntervalMs: 30,
  });
  queue.start();
});
afterEach(async () => {
  proxied.stop();
  direct.stop();
  await queue.stop();
  await proxy.stop();
  await anvil.stop();
});

/** Registers a secret. Without a deadline somebody waits for the end, as for that of an opening. */
function begin(deadlineBlock: bigint | null = null): Job & { secret: Secret } {
  const secret: Secret = toHex(randomBytes(32));
  const tx = { type: 'tx.registerSecret', from: 'x', key: secret, deadlineBlock, secret } as const;
  const calls = registerSecretCalls(tx, { secretRegistry });
  const job = { key: secret, calls, deadlineBlock, secret };
  queue.submit(job);
  return job;
}

const outcomeOf = (job: Job) => outcomes.get(job.key)?.at(-1);
const usedNonces = () => direct.client.getTransactionCount({ address: account.address });
const inPool = async () =>
  (await direct.client.getTransactionCount({ address: account.address, blockTag: 'pending' })) -
  (await usedNonces());
const isRegistered = async (secret: Secret) =>
  (await direct.client.readContract({
    address: secretRegistry,
    abi: secretRegistryAbi,
    functionName: 'getSecretRevealBlockHeight',
    args: [sha256(secret)],
  })) > 0n;
/** Resolves when the queue has looked at the chain so many more times. */
async function looks(times: number): Promise<void> {
  const count = () => proxy.calls.filter(({ method }) => method === 'eth_getBlockByNumber').length;
  const before = count();
  await until(() => count() > before + times, `${times} more looks`);
}
const mineUntil = (condition: () => boolean | Promise<boolean>, what: string) =>
  until(async () => {
    if (await condition()) return true;
    await mine(direct, 1);
    return false;
  }, what);

const isSending = ({ method }: RpcCall) => method === 'eth_sendRawTransaction';
/** Everything that was sent, in order. */
const sendings = (): Hex[] =>
  proxy.calls.filter(isSending).flatMap(({ params: [raw] }) => (isHex(raw) ? [raw] : []));
const answering = (message: string, code = -32000) => Promise.resolve({ error: { code, message } });
/** The pool takes the first sending; each repetition of it is answered with these words. */
const repeatsAnswered =
  (message: string, code?: number): RpcRule =>
  (call, forward) =>
    isSending(call) && sendings().filter((raw) => raw === call.params[0]).length > 1
      ? answering(message, code)
      : forward();

const REPEATED: [string, string, number?][] = [
  ['geth', 'already known'],
  ['nethermind', 'AlreadyKnown'],
  ['besu', 'Known transaction'],
  ['OpenEthereum', 'Transaction with the same hash was already imported.', -32010],
  ['a gateway', 'Known transaction (0xab)', -32603],
  ['a gateway that hides it', 'Internal error', -32603],
  ['nobody that is known', 'moon in the wrong phase'],
  ['a machine that is ahead', 'nonce too low'],
  ['a machine that lags', 'insufficient funds for gas * price + value'],
];

describe('a transaction that the pool has', () => {
  it.each(REPEATED)(
    'is dearer when it is late, in the words of %s: "%s"',
    async (_who, words, code) => {
      const first: unknown[] = [];
      proxy.setRule((call, forward) => {
        const [raw] = call.params;
        const isCounting =
          call.method === 'eth_getTransactionCount' && call.params[1] === 'pending';
        if (isCounting && first.length > 0) return Promise.resolve({ result: '0x1' });
        if (!isSending(call)) return forward();
        if (first.length === 0) first.push(raw);
        // It stays out of the blocks: only a better price brings it in.
        if (raw !== first[0]) return forward();
        if (sendings().length > 1) return answering(words, code);
        return Promise.resolve({ result: isHex(raw) ? keccak256(raw) : null });
      });
      const job = begin();
      await until(() => sendings().length > 0);
      await mineUntil(() => outcomeOf(job) !== undefined, 'its end');
      expect(outcomeOf(job)).toMatchObject({ ok: true });
      expect(await usedNonces()).toBe(1);
    },
  );

  it.each(REPEATED)(
    'is not given up while no block comes, in the words of %s: "%s"',
    async (_who, words, code) => {
      proxy.setRule(repeatsAnswered(words, code));
      const job = begin();
      await until(async () => (await inPool()) === 1);
      // A block of somebody else: from then on it is repeated.
      await anvilCall(direct, 'evm_setBlockGasLimit', '0x5208');
      await mine(direct, 1);
      await anvilCall(direct, 'evm_setBlockGasLimit', '0x1c9c380');
      await looks(25);
      expect(outcomeOf(job)).toBeUndefined();
      await mineUntil(() => outcomeOf(job) !== undefined, 'its end');
      expect(outcomeOf(job)).toMatchObject({ ok: true });
      expect(await usedNonces()).toBe(1);
    },
  );

  it('costs no nonce and no effect when the endpoint conceals it until it is given up', async () => {
    proxy.setRule(async (call, forward) => {
      const { method, params } = call;
      if (method === 'eth_getTransactionByHash') return { result: null };
      if (method === 'eth_getTransactionCount' && params[1] === 'pending')
        return { result: `0x${(await usedNonces()).toString(16)}` };
      if (!isSending(call)) return forward();
      await forward();
      return answering('no');
    });
    const job = begin();
    await until(() => outcomeOf(job) !== undefined, 'the endpoint is believed at last');
    expect(outcomeOf(job)).toMatchObject({ ok: false, code: 'transaction_failed' });
    proxy.setRule(null);
    const next = begin();
    await mineUntil(() => outcomeOf(next) !== undefined, 'its end');
    expect(outcomeOf(next)).toMatchObject({ ok: true });
    expect(await isRegistered(next.secret)).toBe(true);
    const used = await usedNonces();
    await mine(direct, 5);
    expect([await usedNonces(), await inPool()]).toEqual([used, 0]);
  });
});

describe('a price', () => {
  it('is raised at most once in a block, however often the endpoint calls it too low', async () => {
    proxy.setRule((call, forward) =>
      isSending(call) ? answering('FeeTooLow, MaxFeePerGas too low.') : forward(),
    );
    const job = begin(10_000n);
    await until(() => sendings().length > 0);
    await looks(25);
    expect(new Set(sendings()).size).toBe(2);
    await mine(direct, 1);
    await looks(25);
    expect(new Set(sendings()).size).toBe(3);
    proxy.setRule(null);
    await mineUntil(() => outcomeOf(job) !== undefined, 'its end');
    expect(outcomeOf(job)).toMatchObject({ ok: true });
    expect(new Set(sendings().map((raw) => parseTransaction(raw).nonce)).size).toBe(1);
  });
});

describe('the registration of a secret', () => {
  it.each([
    ['its simulation', 'eth_estimateGas', 'execution reverted'],
    ['its sending', 'eth_sendRawTransaction', 'moon in the wrong phase'],
    ['its sending for want of money', 'eth_sendRawTransaction', 'InsufficientFunds'],
  ])('is not given up before its deadline when %s is refused', async (_what, refused, words) => {
    let refusals = 0;
    proxy.setRule(({ method }, forward) => {
      if (method !== refused || refusals === 12) return forward();
      refusals += 1;
      return answering(words);
    });
    const job = begin(10_000n);
    await mineUntil(() => outcomeOf(job) !== undefined, 'its end');
    expect(outcomeOf(job)).toMatchObject({ ok: true });
    expect(refusals).toBe(12);
    expect(await isRegistered(job.secret)).toBe(true);
  });
});

describe('what nobody waits for longer than it takes to be refused', () => {
  it.each([
    ['nethermind', -32015, 'VM execution error.', 'VM execution error.'],
    [
      'ganache',
      -32000,
      'VM Exception while processing transaction: revert',
      'VM Exception while processing transaction: revert.',
    ],
  ])('is a revert in the words of %s: they are passed on', async (_who, code, words, told) => {
    proxy.setRule((call, forward) =>
      call.method === 'eth_estimateGas' ? answering(words, code) : forward(),
    );
    const job = begin();
    await until(() => outcomeOf(job) !== undefined, 'its end');
    expect(outcomeOf(job)).toEqual({ ok: false, code: 'transaction_failed', detail: told });
    expect(proxy.calls.filter(({ method }) => method === 'eth_estimateGas')).toHaveLength(1);
  });

  it('is an answer in words that nobody knows: they are passed on, and the chain was reached', async () => {
    proxy.setRule((call, forward) =>
      call.method === 'eth_estimateGas' ? answering('quota used up') : forward(),
    );
    const job = begin();
    await until(() => outcomeOf(job) !== undefined, 'its end');
    expect(outcomeOf(job)).toEqual({
      ok: false,
      code: 'transaction_failed',
      detail: 'The endpoint answered: quota used up.',
    });
  });
});
