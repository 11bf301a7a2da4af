/** A promise does not wait behind what can wait: it takes its nonce, and which of the two was mined is found out. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { registerSecretCalls } from '../../src/chain/queue/calls.ts';
import type { Job, Outcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions } from '../../src/chain/queue/transactions.ts';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import { anvilCall, memoryStorage } from '../support/chain.ts';
import { secretOf } from '../support/makers.ts';
import { startVirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: ReturnType<typeof startVirtualNetwork>;
let sent: Transaction[];
beforeEach(async () => {
  network = startVirtualNetwork({});
  sent = [];
  network.simulated.onSubmit((transaction) => void sent.push(transaction));
  await anvilCall(network.chain, 'evm_setAutomine', false);
});
afterEach(() => network.stop());

/** A process with this storage, and what became of its jobs. */
function begin(storage: ReturnType<typeof memoryStorage>) {
  const outcomes = new Map<string, Outcome>();
  const failures: unknown[] = [];
  const queue = createTransactions({
    client: network.chain.client,
    account: network.signerOf('bob'),
    storage,
    confirmations: 1n,
    onEnded: (key, outcome) => void outcomes.set(key, outcome),
    onFailure: (error) => void failures.push(error),
    onTrouble() {},
    pollIntervalMs: 20,
  });
  return { ...queue, outcomes, failures };
}

/** `left`: wei that the job has to leave in the account; 0: it is a promise. */
const job = (key: string, number: number, left: bigint): Job => ({
  key,
  calls: registerSecretCalls(
    {
      type: 'tx.registerSecret',
      from: key,
      key,
      deadlineBlock: null,
      secret: secretOf(number),
    },
    { secretRegistry: network.contracts.secretRegistryAddress },
  ),
  deadlineBlock: null,
  leaves: () => left,
  isPatient: true,
});
const OPTION = () => job('option', 1, 5n);
const PROMISE = () => job('promise', 2, 0n);

/** The option is under way when the promise comes. */
async function yielded(storage: ReturnType<typeof memoryStorage>) {
  const process = begin(storage);
  process.start();
  process.submit(OPTION());
  await until(() => sent.length === 1, 'the option is sent');
  process.submit(PROMISE());
  await until(() => sent.length === 2, 'the promise is sent');
  const [option, promise] = sent;
  if (option === undefined || promise === undefined) throw new Error('nothing was sent');
  return { process, option, promise };
}

type Process = ReturnType<typeof begin>;
const bothEnd = (process: Process) =>
  network.whileMining(
    until(
      () => ['option', 'promise'].every((key) => process.outcomes.get(key)?.ok === true),
      'both are mined',
    ),
  );

it('a promise takes the nonce of what can wait, which is sent again after it', async () => {
  const { process, option, promise } = await yielded(memoryStorage());
  expect(promise.nonce).toBe(option.nonce);
  await bothEnd(process);
  expect(sent.findLast(({ data }) => data === option.data)?.nonce).toBe(option.nonce + 1);
  expect(process.failures).toEqual([]);
  await process.stop();
});

it('what gave its nonce away and is mined all the same has succeeded, and the promise is sent again', async () => {
  const { process, option, promise } = await yielded(memoryStorage());
  for (const one of network.simulated.pool.waiting()) network.simulated.pool.drop(one);
  network.simulated.pool.restore(option);
  await bothEnd(process);
  expect(sent.filter(({ data }) => data === option.data)).toHaveLength(1);
  expect(sent.findLast(({ data }) => data === promise.data)?.nonce).toBe(option.nonce + 1);
  expect(process.failures).toEqual([]);
  await process.stop();
});

it('a process that starts again sends only the promise at first', async () => {
  const storage = memoryStorage();
  const { process, option, promise } = await yielded(storage);
  await process.stop();
  const before = sent.length;
  const next = begin(storage);
  next.submit(OPTION());
  next.submit(PROMISE());
  next.start();
  await bothEnd(next);
  const again = sent.slice(before).filter(({ nonce }) => nonce === option.nonce);
  expect(again.every(({ data }) => data === promise.data)).toBe(true);
  expect(next.failures).toEqual([]);
  await next.stop();
});
