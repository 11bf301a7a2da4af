import { encodeFunctionData } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { tokenAbi } from '../../src/chain/abi.ts';
import type { JobOutcome } from '../../src/chain/queue/jobs.ts';
import { deployToken } from '../../src/contracts/tokens.ts';
import {
  createServiceTransactions,
  type ServiceJob,
  type ServiceTransactions,
} from '../../src/services/base/transactions.ts';
import { atomically, type Connection, connect } from '../../src/store/base/connection.ts';
import { runMigrations } from '../../src/store/base/migrate.ts';
import { anvilAccount, anvilCall, mine } from '../support/chain.ts';
import { connectedEvm } from '../support/evm.ts';
import { until } from '../support/until.ts';

const account = anvilAccount(5);
const spender = anvilAccount(6).address;

let chain: Awaited<ReturnType<typeof connectedEvm>>;
let token: Address;
let connection: Connection;
let queues: ServiceTransactions[];

beforeEach(async () => {
  chain = await connectedEvm();
  token = await deployToken(chain.clients, { name: 'Test', symbol: 'TTA' });
  connection = connect(':memory:');
  runMigrations(connection, 'monitoring');
  queues = [];
});
afterEach(async () => {
  for (const queue of queues) await queue.stop();
});

/** A "process" on the database, which outlives it. `onEnd` runs in the commit that forgets the job. */
function begin(onEnd: (key: string, outcome: JobOutcome) => void = () => {}) {
  const ends: { key: string; outcome: JobOutcome }[] = [];
  const failures: unknown[] = [];
  const queue = createServiceTransactions({
    connection,
    write: (work) => atomically(connection.client, work),
    client: chain.client,
    account,
    confirmations: 2n,
    onEnd(key, outcome) {
      ends.push({ key, outcome });
      onEnd(key, outcome);
    },
    onFailure: (error) => void failures.push(error),
    log: { warn() {} },
    now: Date.now,
    pollIntervalMs: 30,
  });
  queues.push(queue);
  queue.start();
  return { queue, ends, failures };
}

/** Lets the spender take so much: a repetition can be told by the amount that stands in the end. */
function approval(amount: bigint): ServiceJob {
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'approve',
    args: [spender, amount],
  });
  return {
    key: `approve ${amount}`,
    calls: [{ kind: 'approve', to: token, data }],
    deadlineBlock: null,
  };
}
const allowance = () =>
  chain.client.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'allowance',
    args: [account.address, spender],
  });
const sent = () => chain.client.getTransactionCount({ address: account.address });
const keysOf = (ends: { key: string }[]) => ends.map(({ key }) => key);

describe('the transaction queue of a service', () => {
  it('ends a job when its receipt is confirmed, and not before', async () => {
    const { queue, ends } = begin();
    atomically(connection.client, () => queue.add(approval(7n)));
    queue.submitNew();
    await until(async () => (await allowance()) === 7n, 'it is mined');
    const minedBlock = await chain.client.getBlockNumber({ cacheTime: 0 });
    queue.confirmed(minedBlock - 1n);
    await mine(chain, 1);
    expect(ends).toEqual([]);
    await until(() => {
      queue.confirmed(minedBlock);
      return ends.length > 0;
    }, 'the end');
    expect(ends).toMatchObject([{ key: 'approve 7', outcome: { ok: true, minedBlock } }]);
    expect(queue.isOpen('approve 7')).toBe(false);
  });

  it('never sends a job whose database transaction failed', async () => {
    const { queue } = begin();
    const spoilt = () =>
      atomically(connection.client, () => {
        queue.add(approval(7n));
        throw new Error('the disk is full');
      });
    expect(spoilt).toThrow('the disk is full');
    queue.submitNew();
    atomically(connection.client, () => queue.add(approval(8n)));
    queue.submitNew();
    await until(async () => (await allowance()) === 8n, 'the next one is mined');
    expect(await sent()).toBe(1);
  });

  it('is taken over by the next process, which sends nothing twice', async () => {
    await anvilCall(chain, 'evm_setAutomine', false);
    const first = begin();
    atomically(connection.client, () => first.queue.add(approval(7n)));
    first.queue.submitNew();
    const stored = () => connection.client.prepare('SELECT hash FROM transactions').all();
    await until(() => stored().length === 1, 'it is on disk');
    await first.queue.stop();
    const [before] = stored();

    const second = begin();
    await anvilCall(chain, 'evm_setAutomine', true);
    await until(async () => {
      second.queue.confirmed(await chain.client.getBlockNumber({ cacheTime: 0 }));
      await mine(chain, 1);
      return second.ends.length > 0;
    }, 'the second process sees the end');
    expect(await sent()).toBe(1);
    expect(second.ends[0]?.outcome).toMatchObject({
      transactionHash: before === undefined ? '' : Reflect.get(Object(before), 'hash'),
    });
    expect(first.ends).toEqual([]);
    expect(stored()).toEqual([]);
  });

  it('commits the end of a job together with the jobs that follow from it', async () => {
    const { queue, ends, failures } = begin((key) => {
      if (key === 'approve 1') queue.add(approval(2n));
    });
    atomically(connection.client, () => queue.add(approval(1n)));
    queue.submitNew();
    await until(async () => {
      queue.confirmed(await chain.client.getBlockNumber({ cacheTime: 0 }));
      return ends.length === 2;
    }, 'both ends');
    expect(keysOf(ends)).toEqual(['approve 1', 'approve 2']);
    expect(await allowance()).toBe(2n);
    expect(failures).toEqual([]);
  });

  it('ends a job that can have no effect, without sending it', async () => {
    const { queue, ends } = begin();
    const hopeless: ServiceJob = {
      key: 'hopeless',
      calls: [{ kind: 'monitor', to: token, data: '0xdeadbeef' }],
      deadlineBlock: null,
    };
    atomically(connection.client, () => queue.add(hopeless));
    queue.submitNew();
    await until(() => ends.length > 0, 'the end');
    expect(ends[0]).toMatchObject({ outcome: { ok: false, code: 'transaction_failed' } });
    expect(await sent()).toBe(0);
  });
});
