import { randomBytes } from 'node:crypto';
import { isHex, parseEther, parseTransaction, sha256 } from 'viem';
import type { HDAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Address, type Hash, parseAddress, type Secret, toHex } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import { registerSecretCalls } from '../../src/chain/queue/calls.ts';
import type { ChainCall, Job, JobOutcome, TransactionStorage } from '../../src/chain/queue/jobs.ts';
import {
  createTransactions,
  type TransactionOptions,
  type Transactions,
} from '../../src/chain/queue/transactions.ts';
import {
  secretRegistryAbi,
  secretRegistryBytecode,
} from '../../src/contracts/generated/SecretRegistry.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import {
  anvilAccount,
  anvilCall,
  clientsFor,
  connected,
  memoryStorage,
  mine,
} from '../support/chain.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

const account = anvilAccount(5);
const GWEI = 10n ** 9n;

let anvil: Anvil;
let proxy: RpcProxy;
/** Straight to the chain; the queues go through the proxy. */
let direct: ChainConnection;
let proxied: ChainConnection;
let secretRegistry: Address;
let storage: TransactionStorage;
let queues: Transactions[];

beforeEach(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.rpc);
  direct = await connected(anvil.rpc);
  proxied = await connected(proxy.rpc);
  secretRegistry = await deploySecretRegistry(clientsFor(anvil.rpc, direct, anvilAccount(0)));
  storage = memoryStorage();
  queues = [];
});
afterEach(async () => {
  proxied.stop();
  direct.stop();
  for (const queue of queues) await queue.stop();
  await proxy.stop();
  await anvil.stop();
});

async function deploySecretRegistry(clients: Clients): Promise<Address> {
  const hash = await clients.wallet.deployContract({
    abi: secretRegistryAbi,
    bytecode: secretRegistryBytecode,
  });
  const address = parseAddress((await confirmed(clients, hash, 'deploy')).contractAddress);
  if (address === null) throw new Error('no contract');
  return address;
}

/** A "process": its queue over the storage, which outlives it. */
function begin(jobs: readonly Job[], options: Partial<TransactionOptions> = {}) {
  const outcomes = new Map<string, JobOutcome[]>();
  const failures: unknown[] = [];
  const queue = createTransactions({
    client: proxied.client,
    account,
    storage,
    onEnded: (key, outcome) => void outcomes.set(key, [...(outcomes.get(key) ?? []), outcome]),
    onFailure: (error) => void failures.push(error),
    onTrouble() {},
    pollIntervalMs: 30,
    ...options,
  });
  queues.push(queue);
  for (const job of jobs) queue.submit(job);
  queue.start();
  const outcomeOf = (job: Job) => outcomes.get(job.key)?.at(-1);
  const ended = async (job: Job): Promise<JobOutcome> => {
    await until(() => outcomeOf(job) !== undefined, `the end of ${job.key}`);
    const outcome = outcomeOf(job);
    if (outcome === undefined) throw new Error('unreachable');
    return outcome;
  };
  return { queue, outcomes, failures, outcomeOf, ended };
}

const newSecret = (): Secret => toHex(randomBytes(32));
const job = (key: string, calls: readonly ChainCall[], part: Partial<Job> = {}): Job => ({
  key,
  calls,
  deadlineBlock: null,
  ...part,
});
function secretCall(secret: Secret): ChainCall {
  const tx = {
    type: 'tx.registerSecret',
    from: 'x',
    key: 'x',
    deadlineBlock: null,
    secret,
  } as const;
  const [call] = registerSecretCalls(tx, { secretRegistry });
  if (call === undefined) throw new Error('no call');
  return call;
}
const secretJob = (secret: Secret, part: Partial<Job> = {}) =>
  job(`secret ${secret}`, [secretCall(secret)], part);
/** A call that reverts: the registry has no such function. */
const badCall = (): ChainCall => ({ kind: 'close', to: secretRegistry, data: '0xdeadbeef' });

const isRegistered = async (secret: Secret) =>
  (await direct.client.readContract({
    address: secretRegistry,
    abi: secretRegistryAbi,
    functionName: 'getSecretRevealBlockHeight',
    args: [sha256(secret)],
  })) > 0n;
const usedNonces = () => direct.client.getTransactionCount({ address: account.address });
const pendingNonces = () =>
  direct.client.getTransactionCount({ address: account.address, blockTag: 'pending' });
const setMining = (isOn: boolean) => anvilCall(direct, 'evm_setAutomine', isOn);
const setBaseFee = (wei: bigint) =>
  anvilCall(direct, 'anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
const setBalance = (wei: bigint, of: HDAccount = account) =>
  anvilCall(direct, 'anvil_setBalance', of.address, `0x${wei.toString(16)}`);
/** Mines one block after the other until the condition holds. */
const mineUntil = (condition: () => boolean | Promise<boolean>, what: string) =>
  until(async () => {
    if (await condition()) return true;
    await mine(direct, 1);
    return false;
  }, what);

/** A few ticks of the queue. */
const pollsPass = () => new Promise((resolve) => setTimeout(resolve, 250));

/** Nonce and data of everything that was sent. */
const sentCalls = () =>
  proxy.calls.flatMap(({ method, params: [raw] }) => {
    if (method !== 'eth_sendRawTransaction' || !isHex(raw)) return [];
    const { nonce, data } = parseTransaction(raw);
    return [`${nonce} ${data}`];
  });

async function sendForeign(nonce?: number): Promise<Hash> {
  const { wallet } = clientsFor(anvil.rpc, direct, account);
  return wallet.sendTransaction({
    to: anvilAccount(6).address,
    value: 1n,
    ...(nonce === undefined ? {} : { nonce }),
  });
}

describe('a job', () => {
  it('runs its calls in order, each after the one before it is mined, skipping those not needed', async () => {
    const secrets = [newSecret(), newSecret(), newSecret()] as const;
    const order: string[] = [];
    const skipIf = (name: string, earlier: Secret | null, isSkipped: boolean) => async () => {
      if (earlier !== null) order.push(`${name} after ${await isRegistered(earlier)}`);
      return isSkipped;
    };
    const one = job('three', [
      { ...secretCall(secrets[0]), skipIf: skipIf('first', null, false) },
      { ...secretCall(secrets[1]), skipIf: skipIf('second', secrets[0], true) },
      { ...secretCall(secrets[2]), skipIf: skipIf('third', secrets[0], false) },
    ]);
    const outcome = await begin([one]).ended(one);
    expect(outcome.ok).toBe(true);
    expect(order).toEqual(['second after true', 'third after true']);
    expect(await Promise.all(secrets.map(isRegistered))).toEqual([true, false, true]);
    expect(await usedNonces()).toBe(2);
  });

  it('tells the hash and the block of its last transaction', async () => {
    const one = secretJob(newSecret());
    const { ended, queue } = begin([one]);
    const outcome = await ended(one);
    if (!outcome.ok) throw new Error(outcome.detail);
    const receipt = await direct.client.getTransactionReceipt({ hash: outcome.transactionHash });
    expect(outcome.minedBlock).toBe(receipt.blockNumber);
    expect(await queue.receiptOf(outcome.transactionHash)).toMatchObject({
      ok: true,
      value: { block: receipt.blockNumber, isSuccess: true },
    });
    expect(await queue.receiptOf(`0x${'ab'.repeat(32)}`)).toEqual({ ok: true, value: null });
  });

  it('keeps its transactions in the store until its owner forgets it', async () => {
    const one = secretJob(newSecret());
    const { ended, queue } = begin([one]);
    await ended(one);
    expect(storage.forJob(one.key)).toHaveLength(1);
    queue.forget(one.key);
    expect(storage.all()).toEqual([]);
  });

  it('that nobody submits again leaves the store when its transactions are confirmed', async () => {
    const one = secretJob(newSecret());
    const fault = (name: string) => {
      if (name === 'transaction.sent') throw new Error('killed');
    };
    const first = begin([one], { fault });
    await until(() => first.failures.length > 0);
    const { outcomes } = begin([], { confirmations: 3n });
    await mineUntil(() => storage.all().length === 0, 'the rows are gone');
    expect(outcomes.size).toBe(0);
    expect(await usedNonces()).toBe(1);
  });

  it('ends without a transaction when its simulation reverts', async () => {
    const one = job('bad', [badCall()]);
    expect(await begin([one]).ended(one)).toMatchObject({ ok: false, code: 'transaction_failed' });
    expect(await pendingNonces()).toBe(0);
    expect(storage.all()).toEqual([]);
  });

  /** Its second call never succeeds; then what the first has left behind is taken back. */
  const tidy = (kept: Secret, takenBack: Secret, isNeedless = false) =>
    job('tidy', [secretCall(kept), badCall()], {
      cleanUp: { ...secretCall(takenBack), skipIf: async () => isNeedless },
    });
  const REVERTED = { ok: false, code: 'transaction_failed' };

  it('that has failed takes back what it has left behind before it tells its end', async () => {
    const [kept, takenBack] = [newSecret(), newSecret()];
    const one = tidy(kept, takenBack);
    const outcome = await begin([one]).ended(one);
    expect(await Promise.all([kept, takenBack].map(isRegistered))).toEqual([true, true]);
    expect(outcome).toMatchObject({ ...REVERTED, detail: expect.stringContaining('reverted') });
    expect(await usedNonces()).toBe(2);
  });

  it('that has failed pays for no taking back of nothing', async () => {
    const one = tidy(newSecret(), newSecret(), true);
    expect(await begin([one]).ended(one)).toMatchObject(REVERTED);
    expect(await usedNonces()).toBe(1);
  });

  it.each(['transaction.saved', 'transaction.sent', 'transaction.mined'])(
    'that dies at %s of taking back goes on with that, and ends as failed',
    async (point) => {
      const [kept, takenBack] = [newSecret(), newSecret()];
      const one = tidy(kept, takenBack);
      let count = 0;
      const first = begin([one], {
        fault(name) {
          if (name === point) count += 1;
          if (count === 2) throw new Error('killed');
        },
      });
      await until(() => first.failures.length > 0);
      expect(await begin([one]).ended(one)).toMatchObject(REVERTED);
      expect(await Promise.all([kept, takenBack].map(isRegistered))).toEqual([true, true]);
      expect(await usedNonces()).toBe(2);
    },
  );

  it('that would fail as a whole ends before its first call costs anything', async () => {
    const one = job('rehearsed', [secretCall(newSecret()), secretCall(newSecret())], {
      rehearse: async () => 'the second would fail',
    });
    const detail = 'The second would fail.';
    expect(await begin([one]).ended(one)).toEqual({ ...REVERTED, detail });
    expect(await usedNonces()).toBe(0);
  });

  it('ends when it is mined without effect because something came before it', async () => {
    // One contract can only be created once at an address: the second creation reverts in the block.
    const creation = (key: string) => job(key, [createOnce()]);
    await setMining(false);
    const [first, second] = [creation('first'), creation('second')];
    const { ended } = begin([first, second]);
    await until(async () => (await pendingNonces()) === 2);
    await mine(direct, 1);
    expect((await ended(first)).ok).toBe(true);
    expect(await ended(second)).toMatchObject({ ok: false, code: 'transaction_failed' });
    expect(await usedNonces()).toBe(2);
  });

  it('does not wait for ever when the endpoint is gone, unless it has a deadline or is patient', async () => {
    const plain = secretJob(newSecret());
    const urgent = secretJob(newSecret(), { deadlineBlock: 10_000n });
    const patient = secretJob(newSecret(), { isPatient: true });
    proxy.setRule(async () => 'cut the line');
    const { ended, outcomeOf } = begin([plain, urgent, patient]);
    expect(await ended(plain)).toMatchObject({ ok: false, code: 'chain_unavailable' });
    expect(outcomeOf(urgent)).toBeUndefined();
    expect(outcomeOf(patient)).toBeUndefined();
    proxy.setRule(null);
    expect((await ended(urgent)).ok).toBe(true);
    expect((await ended(patient)).ok).toBe(true);
  });

  it('with a deadline survives errors that nobody knows', async () => {
    const urgent = secretJob(newSecret(), { deadlineBlock: 10_000n });
    let refusals = 0;
    proxy.setRule((call, forward) => {
      if (call.method !== 'eth_sendRawTransaction' || refusals === 15) return forward();
      refusals += 1;
      return Promise.resolve({ error: { code: -32000, message: 'moon in the wrong phase' } });
    });
    expect((await begin([urgent]).ended(urgent)).ok).toBe(true);
    expect(refusals).toBe(15);
    expect(await usedNonces()).toBe(1);
  });

  it('without a deadline ends when the endpoint never takes its transaction', async () => {
    const plain = secretJob(newSecret());
    const next = secretJob(newSecret());
    proxy.setRule((call, forward) =>
      call.method === 'eth_sendRawTransaction'
        ? Promise.resolve({ error: { code: -32000, message: 'no' } })
        : forward(),
    );
    const { ended, queue } = begin([plain]);
    expect(await ended(plain)).toMatchObject({ ok: false, code: 'transaction_failed' });
    proxy.setRule(null);
    queue.submit(next);
    expect((await ended(next)).ok).toBe(true);
    expect(await usedNonces()).toBe(1);
  });
});

describe('a process that dies', () => {
  const points = [
    'transaction.signed',
    'transaction.saved',
    'transaction.sent',
    'transaction.mined',
  ] as const;
  const steps = [1, 2] as const;

  it.each(points.flatMap((point) => steps.map((nth) => [point, nth] as const)))(
    'at %s number %i has sent each call exactly once after its restart',
    async (point, nth) => {
      const secrets = [newSecret(), newSecret()] as const;
      const one = job('two', secrets.map(secretCall));
      let left: number = nth;
      const first = begin([one], {
        fault(name) {
          if (name !== point) return;
          left -= 1;
          if (left === 0) throw new Error('killed');
        },
      });
      await until(() => first.failures.length > 0);
      expect(first.outcomes.size).toBe(0);

      const { ended } = begin([one]);
      expect((await ended(one)).ok).toBe(true);
      expect(await Promise.all(secrets.map(isRegistered))).toEqual([true, true]);
      expect(await usedNonces()).toBe(2);
      expect(await pendingNonces()).toBe(2);
    },
  );

  it('before it sent anything repeats the very same transaction', async () => {
    const one = secretJob(newSecret());
    const fault = (name: string) => {
      if (name === 'transaction.saved') throw new Error('killed');
    };
    const first = begin([one], { fault });
    await until(() => first.failures.length > 0);
    const [row] = storage.all();
    expect(await pendingNonces()).toBe(0);
    const outcome = await begin([one]).ended(one);
    expect(outcome).toMatchObject({ ok: true, transactionHash: row?.hash });
  });

  it('resumes at the call that it had reached', async () => {
    const [first, second] = [newSecret(), newSecret()];
    const two = (isSkipped: boolean) =>
      job('two', [{ ...secretCall(first), skipIf: async () => isSkipped }, secretCall(second)]);
    const fault = (name: string) => {
      if (name === 'transaction.saved') throw new Error('killed');
    };
    const dying = begin([two(true)], { fault });
    await until(() => dying.failures.length > 0);
    expect((await begin([two(false)]).ended(two(false))).ok).toBe(true);
    expect(await isRegistered(first)).toBe(false);
    expect(await isRegistered(second)).toBe(true);
  });

  it('sends nothing when the disk fails', async () => {
    const one = secretJob(newSecret());
    const broken: TransactionStorage = {
      ...storage,
      save() {
        throw new Error('disk full');
      },
    };
    const { failures, outcomes } = begin([one], { storage: broken });
    await until(() => failures.length > 0);
    expect(failures).toMatchObject([{ message: 'disk full' }]);
    expect(outcomes.size).toBe(0);
    expect(await pendingNonces()).toBe(0);
    expect(proxy.calls.some(({ method }) => method === 'eth_sendRawTransaction')).toBe(false);
  });

  it('takes a fresh nonce when somebody else has used its nonce meanwhile', async () => {
    const secret = newSecret();
    const one = secretJob(secret);
    const fault = (name: string) => {
      if (name === 'transaction.saved') throw new Error('killed');
    };
    const first = begin([one], { fault });
    await until(() => first.failures.length > 0);
    await sendForeign();
    const outcome = await begin([one]).ended(one);
    expect(outcome.ok).toBe(true);
    expect(await isRegistered(secret)).toBe(true);
    expect(await usedNonces()).toBe(2);
    expect(storage.all()).toMatchObject([{ job: one.key, step: 0, nonce: 1 }]);
  });

  it('finds out that an earlier version, whose hash is lost, was mined', async () => {
    const secret = newSecret();
    const one = secretJob(secret);
    await setMining(false);
    const fault = (name: string) => {
      if (name === 'transaction.replaced') throw new Error('killed');
    };
    const first = begin([one], { fault });
    await until(async () => (await pendingNonces()) === 1);
    const [sent] = storage.all();
    await until(async () => {
      if (first.failures.length > 0) return true;
      await setBaseFee(1000n * GWEI);
      await mine(direct, 1);
      return false;
    });
    const [replaced] = storage.all();
    expect(replaced?.hash).not.toBe(sent?.hash);
    expect(replaced?.nonce).toBe(sent?.nonce);
    if (sent === undefined) throw new Error('no row');
    // anvil's pool drops what cannot pay the base fee; others' pools may still hold it.
    await setBaseFee(GWEI);
    await direct.client.sendRawTransaction({ serializedTransaction: sent.raw });
    await mine(direct, 1);
    expect(await isRegistered(secret)).toBe(true);

    const outcome = await begin([one]).ended(one);
    expect(outcome).toMatchObject({ ok: true, transactionHash: sent.hash });
    expect(await usedNonces()).toBe(1);
  });
});

describe('many jobs', () => {
  it('share the nonces of the account without a gap or a repetition', async () => {
    const secrets = Array.from({ length: 10 }, newSecret);
    const jobs = secrets.map((secret) => secretJob(secret));
    await setMining(false);
    // Some endpoints do not count what is pending.
    proxy.setRule(async (call, forward) => {
      if (call.method !== 'eth_getTransactionCount' || call.params[1] !== 'pending') {
        return forward();
      }
      return { result: await anvilCall(direct, call.method, call.params[0], 'latest') };
    });
    const { outcomes } = begin(jobs);
    await mineUntil(() => outcomes.size === 10, 'all ten ended');
    expect([...outcomes.values()].flat().every((outcome) => outcome.ok)).toBe(true);
    expect(await Promise.all(secrets.map(isRegistered))).toEqual(secrets.map(() => true));
    const nonces = storage.all().map(({ nonce }) => nonce);
    expect(nonces.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // No nonce ever carried two calls, however often it was sent and at whatever price.
    expect(new Set(sentCalls()).size).toBe(10);
    expect(await usedNonces()).toBe(10);
  });

  it('go on beside transactions that somebody else sends from the same account', async () => {
    const secrets = Array.from({ length: 6 }, newSecret);
    const { outcomes, queue } = begin([]);
    for (const secret of secrets) {
      queue.submit(secretJob(secret));
      await sendForeign().catch(() => undefined);
    }
    await until(() => outcomes.size === 6);
    expect(await Promise.all(secrets.map(isRegistered))).toEqual(secrets.map(() => true));
  });

  it('go in the order of their deadlines', async () => {
    await setMining(false);
    const jobs = [
      secretJob(newSecret()),
      secretJob(newSecret(), { deadlineBlock: 900n }),
      secretJob(newSecret(), { deadlineBlock: 500n }),
    ];
    begin(jobs);
    await until(async () => (await pendingNonces()) === 3);
    expect(jobs.map(({ key }) => storage.forJob(key)[0]?.nonce)).toEqual([2, 1, 0]);
  });

  it('that approve the same token run one after the other', async () => {
    const token = anvilAccount(9).address;
    const secrets = Array.from({ length: 4 }, newSecret);
    const [a, b, c, d] = secrets.map(secretCall);
    if (!a || !b || !c || !d) throw new Error('no calls');
    const started: string[] = [];
    const noting = (name: string, call: ChainCall): ChainCall => ({
      ...call,
      async skipIf() {
        started.push(name);
        return false;
      },
    });
    const jobs = [
      job('first', [noting('first/0', a), noting('first/1', b)], { token }),
      job('second', [noting('second/0', c), noting('second/1', d)], { token }),
    ];
    const { outcomes } = begin(jobs);
    await until(() => outcomes.size === 2);
    expect(started).toEqual(['first/0', 'first/1', 'second/0', 'second/1']);
  });
});

describe('gas money', () => {
  it('that is short ends a job before anything of it is sent', async () => {
    // Enough for the first call, not for both.
    await setBalance(70_000n * 4n * GWEI);
    const two = job('two', [
      secretCall(newSecret()),
      { ...secretCall(newSecret()), kind: 'deposit' },
    ]);
    expect(await begin([two]).ended(two)).toMatchObject({ ok: false, code: 'insufficient_gas' });
    expect(await pendingNonces()).toBe(0);
    expect(storage.all()).toEqual([]);
  });

  it('that the pool reports as missing ends a job, whose nonce the next job uses', async () => {
    const [poor, rich] = [secretJob(newSecret()), secretJob(newSecret())];
    proxy.setRule((call, forward) =>
      call.method === 'eth_getBalance'
        ? Promise.resolve({ result: `0x${parseEther('1').toString(16)}` })
        : forward(),
    );
    await setBalance(0n);
    const { ended, queue } = begin([poor]);
    expect(await ended(poor)).toMatchObject({ ok: false, code: 'insufficient_gas' });
    expect(storage.all()).toEqual([]);
    await setBalance(parseEther('1'));
    queue.submit(rich);
    expect((await ended(rich)).ok).toBe(true);
    expect(await usedNonces()).toBe(1);
  });

  it('that only others under way hold back is waited for', async () => {
    const [first, second, third] = [newSecret(), newSecret(), newSecret()].map((secret) =>
      secretJob(secret),
    );
    if (!first || !second || !third) throw new Error('no jobs');
    const { ended, queue } = begin([first]);
    await ended(first);
    const [row] = storage.all();
    const cost = (row?.gas ?? 0n) * (row?.maxFeePerGas ?? 0n);
    await setMining(false);
    await setBalance((cost * 3n) / 2n);
    const considered = () =>
      proxy.calls.filter(({ method }) => method === 'eth_estimateGas').length;
    const before = considered();
    queue.submit(second);
    queue.submit(third);
    await until(() => considered() > before + 3);
    expect(await pendingNonces()).toBe(2);
    await mineUntil(async () => (await usedNonces()) === 3, 'both');
    expect((await ended(second)).ok).toBe(true);
    expect((await ended(third)).ok).toBe(true);
  });

  it('is waited for by a job with a deadline', async () => {
    await setBalance(0n);
    const troubles: string[] = [];
    const urgent = secretJob(newSecret(), { deadlineBlock: 10_000n });
    const { ended, outcomes } = begin([urgent], {
      onTrouble: ({ detail }) => troubles.push(detail),
    });
    await until(() => troubles.length > 2);
    expect(outcomes.size).toBe(0);
    await setBalance(parseEther('1'));
    expect((await ended(urgent)).ok).toBe(true);
  });

  it('that is short when the deadline passes ends the job', async () => {
    await setBalance(0n);
    const late = secretJob(newSecret(), { deadlineBlock: 3n });
    const { ended, outcomes } = begin([late]);
    await mineUntil(() => outcomes.size === 1, 'the deadline');
    expect(await ended(late)).toMatchObject({ ok: false, code: 'insufficient_gas' });
  });
});

describe('a transaction that is not mined', () => {
  it('is replaced at a higher price, with the same nonce, when the base fee jumps', async () => {
    const secret = newSecret();
    const one = secretJob(secret);
    await setMining(false);
    const { outcomes } = begin([one]);
    await until(async () => (await pendingNonces()) === 1);
    const [sent] = storage.all();
    await until(async () => {
      if (outcomes.size > 0) return true;
      await setBaseFee(20n * GWEI);
      await mine(direct, 1);
      return false;
    });
    const [row] = storage.all();
    if (sent === undefined || row === undefined) throw new Error('no row');
    expect(row.nonce).toBe(sent.nonce);
    expect(row.maxFeePerGas * 1000n).toBeGreaterThanOrEqual(sent.maxFeePerGas * 1125n);
    expect(outcomes.get(one.key)).toMatchObject([{ ok: true, transactionHash: row.hash }]);
    expect(await usedNonces()).toBe(1);
    expect(await isRegistered(secret)).toBe(true);
  });

  it('is replaced when it stays out of the blocks although the pool has it', async () => {
    const secret = newSecret();
    const one = secretJob(secret);
    await setMining(false);
    const seen: unknown[] = [];
    proxy.setRule((call, forward) => {
      const [raw] = call.params;
      if (call.method !== 'eth_sendRawTransaction') return forward();
      if (seen.length === 0) seen.push(raw);
      return seen[0] === raw ? Promise.resolve({ result: `0x${'00'.repeat(32)}` }) : forward();
    });
    const { outcomes } = begin([one]);
    await until(() => seen.length > 0);
    const [sent] = storage.all();
    await mineUntil(() => outcomes.size > 0, 'the end of the job');
    const [row] = storage.all();
    expect(row).not.toEqual(sent);
    expect(row?.nonce).toBe(sent?.nonce);
    expect(outcomes.get(one.key)).toMatchObject([{ ok: true, transactionHash: row?.hash }]);
  });

  it('is sent again when the pool forgot it', async () => {
    const one = secretJob(newSecret());
    await setMining(false);
    const { outcomes, ended } = begin([one]);
    await until(async () => (await pendingNonces()) === 1);
    const [sent] = storage.all();
    await anvilCall(direct, 'anvil_dropAllTransactions');
    expect(await pendingNonces()).toBe(0);
    await mine(direct, 1);
    await until(async () => (await pendingNonces()) === 1, 'the same transaction');
    expect(outcomes.size).toBe(0);
    await mine(direct, 1);
    expect(await ended(one)).toMatchObject({ ok: true, transactionHash: sent?.hash });
    expect(await usedNonces()).toBe(1);
  });

  it('fills the gap when a foreign transaction below it vanishes', async () => {
    const secret = newSecret();
    const one = secretJob(secret);
    await setMining(false);
    const foreign = await sendForeign();
    const { outcomes } = begin([one]);
    await until(async () => (await pendingNonces()) === 2);
    expect(storage.all()).toMatchObject([{ nonce: 1 }]);
    await anvilCall(direct, 'anvil_dropTransaction', foreign);
    await mineUntil(() => outcomes.size > 0, 'the end of the job');
    expect(outcomes.get(one.key)?.at(-1)).toMatchObject({ ok: true });
    expect(await isRegistered(secret)).toBe(true);
    // What waited behind the gap is mined once, with the nonce that it had.
    expect(storage.all()).toMatchObject([{ nonce: 1 }]);
    await mine(direct, 3);
    expect([await usedNonces(), await pendingNonces()]).toEqual([2, 2]);
  });

  it.each([1, 4])(
    'gets past what another process with its key has sent too cheaply, %i below it, when it is in a hurry',
    async (unknown) => {
      await setMining(false);
      for (let nonce = 0; nonce < unknown; nonce++) await sendForeign(nonce);
      const secret = newSecret();
      const head = await direct.client.getBlockNumber();
      const one = secretJob(secret, { deadlineBlock: head + 12n });
      // Other nodes than this one count what waits in their pool, also when it offers less than the base fee.
      proxy.setRule(({ method, params: [, tag] }, forward) => {
        if (method !== 'eth_getTransactionCount' || tag !== 'pending') return forward();
        const count = sentCalls().length === 0 ? unknown : unknown + 1;
        return Promise.resolve({ result: `0x${count.toString(16)}` });
      });
      begin([one]);
      await until(() => storage.all().length > 0);
      expect(storage.all()).toMatchObject([{ nonce: unknown }]);
      for (let blocks = 0; blocks < 12 && !(await isRegistered(secret)); blocks++) {
        await setBaseFee(100n * GWEI);
        await mine(direct, 1);
        await pollsPass();
      }
      expect(await isRegistered(secret)).toBe(true);
    },
    30_000,
  );
});

describe('a mined transaction', () => {
  it('that a reorganisation takes back is sent again, and its end is told again', async () => {
    const secret = newSecret();
    const one = secretJob(secret);
    const { ended, outcomes } = begin([one], { confirmations: 10n });
    const before = await ended(one);
    if (!before.ok) throw new Error(before.detail);
    await setMining(false);
    await anvilCall(direct, 'anvil_reorg', 1, []);
    expect(await isRegistered(secret)).toBe(false);
    await mineUntil(() => isRegistered(secret), 'the second time');
    await until(() => outcomes.get(one.key)?.length === 2);
    const after = outcomes.get(one.key)?.at(-1);
    expect(after).toMatchObject({ ok: true });
    expect(after).not.toEqual(before);
    expect(await usedNonces()).toBe(1);
  });

  it('is not sent again because the endpoint does not show its receipt yet', async () => {
    const one = secretJob(newSecret());
    let hidden = 0;
    proxy.setRule((call, forward) => {
      if (call.method !== 'eth_getTransactionReceipt' || hidden === 20) return forward();
      hidden += 1;
      return Promise.resolve({ result: null });
    });
    expect((await begin([one]).ended(one)).ok).toBe(true);
    expect(hidden).toBe(20);
    expect(await usedNonces()).toBe(1);
  });

  it('is not replaced by a payment of nothing when the endpoint counts an older state of the account', async () => {
    const one = secretJob(newSecret());
    const { ended, queue } = begin([one], { confirmations: 20n });
    await ended(one);
    const before = sentCalls();
    await setMining(false);
    proxy.setRule(({ method, params: [, tag] }, forward) => {
      if (method === 'eth_sendRawTransaction')
        return Promise.resolve({ result: `0x${'ab'.repeat(32)}` });
      if (method !== 'eth_getTransactionCount') return forward();
      return Promise.resolve({ result: tag === 'pending' ? '0x1' : '0x0' });
    });
    const head = await direct.client.getBlockNumber();
    queue.submit(secretJob(newSecret(), { deadlineBlock: head + 12n }));
    await until(() => sentCalls().length > before.length);
    for (let blocks = 0; blocks < 5; blocks++) {
      await mine(direct, 1);
      await pollsPass();
    }
    const later = sentCalls().slice(before.length);
    expect(later.filter((sent) => !sent.startsWith('1 '))).toEqual([]);
  });

  it('is not taken as mined because of the receipt of another one', async () => {
    const one = secretJob(newSecret());
    const foreign = await sendForeign();
    const receipt = await anvilCall(direct, 'eth_getTransactionReceipt', foreign);
    let lies = 0;
    proxy.setRule((call, forward) => {
      if (call.method !== 'eth_getTransactionReceipt' || lies === 5) return forward();
      lies += 1;
      return Promise.resolve({ result: receipt });
    });
    const outcome = await begin([one]).ended(one);
    expect(lies).toBe(5);
    expect(outcome.ok && outcome.transactionHash).not.toBe(foreign);
  });
});

/** Creates a contract at a fixed address through the factory that anvil brings along; it can only do so once. */
function createOnce(): ChainCall {
  return {
    kind: 'registerToken',
    to: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
    data: `0x${'07'.repeat(32)}${secretRegistryBytecode.slice(2)}`,
  };
}
