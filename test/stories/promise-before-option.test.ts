/** A promise does not wait behind what can wait: it takes its nonce, and which of the two was mined is found out. */
import { expect, it } from 'vitest';
import type { Job } from '../../src/chain/queue/jobs.ts';
import { memoryStorage } from '../support/chain.ts';
import { beginQueue, REGISTRATION, registration, useStillChain } from '../support/promises.ts';
import { until } from '../support/until.ts';

const { network, sent, emptyPool, setBalance } = useStillChain();

const begin = (storage: ReturnType<typeof memoryStorage>) =>
  beginQueue(network(), { storage, confirmations: 1n });

/** `left`: wei that an option has to leave in the account. */
const job = (key: string, number: number, isPromised: boolean, left = 5n): Job =>
  registration(network(), key, number, {
    leaves: () => (isPromised ? 0n : left),
    isPromised: () => isPromised,
  });
const OPTION = () => job('option', 1, false);
const PROMISE = () => job('promise', 2, true);

/** The option is under way when the promise comes. */
async function yielded(storage: ReturnType<typeof memoryStorage>) {
  const process = begin(storage);
  process.start();
  process.submit(OPTION());
  await until(() => sent.length === 1, 'the option is sent');
  process.submit(PROMISE());
  await until(() => sent.length >= 2, 'the promise is sent');
  const [option, promise] = sent;
  if (option === undefined || promise === undefined) throw new Error('nothing was sent');
  return { process, option, promise };
}

type Process = ReturnType<typeof begin>;
const bothEnd = (process: Process) =>
  network().whileMining(
    until(
      () => ['option', 'promise'].every((key) => process.outcomes.get(key)?.ok === true),
      'both are mined',
    ),
  );

it('a promise takes the nonce of what can wait, which is sent again at once', async () => {
  const { process, option, promise } = await yielded(memoryStorage());
  expect(promise.nonce).toBe(option.nonce);
  await until(() => sent.at(-1)?.nonce === option.nonce + 1, 'the option is sent again');
  expect(sent.at(-1)?.data).toBe(option.data);
  await bothEnd(process);
  expect(process.failures).toEqual([]);
  await process.stop();
});

it('what gave its nonce away and is mined all the same has succeeded, and the promise is sent again', async () => {
  const { process, option, promise } = await yielded(memoryStorage());
  emptyPool();
  network().simulated.pool.restore(option);
  await bothEnd(process);
  expect(process.outcomes.get('option')).toMatchObject({ transactionHash: option.hash });
  expect(sent.findLast(({ data }) => data === promise.data)?.nonce).toBeGreaterThan(option.nonce);
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

/** As many options as the queue has places for, each in a transaction of its own, under way in blocks that take none. */
async function crowded(process: Process): Promise<void> {
  const all = Array.from({ length: 20 }, (_, n) => ({
    ...job(`option ${n}`, 100 + n, false),
    mayShare: false,
  }));
  for (const one of all) process.submit(one);
  let before = -1;
  await until(() => {
    const isStill = sent.length > 0 && sent.length === before;
    before = sent.length;
    return isStill;
  }, 'no more options find a place');
}

it('a promise finds a place, however many options are under way', async () => {
  const process = begin(memoryStorage());
  process.start();
  await crowded(process);
  const options = sent.length;
  process.submit(PROMISE());
  await until(() => sent.length > options, 'the promise is sent');
  expect(sent.at(-1)?.nonce).toBe(sent[0]?.nonce);
  await process.stop();
});

it('a promise is sent although options before it are short of money', async () => {
  const process = begin(memoryStorage());
  const wei = await network().chain.client.getBalance({ address: network().addressOf('bob') });
  process.start();
  // With a deadline each of them is tried again after four ticks: so one of them is short in each.
  for (let n = 0; n < 4; n++) {
    const option = job(`option ${n}`, 200 + n, false, wei);
    process.submit({ ...option, mayShare: true, deadlineBlock: 1_000n });
    await until(() => process.troubles.has(option.key), 'the option is short');
  }
  process.submit({ ...PROMISE(), mayShare: true, deadlineBlock: 1_001n });
  await until(() => sent.length === 1, 'the promise is sent');
  expect(sent[0]?.data).toBe(PROMISE().calls[0]?.data);
  await process.stop();
});

it('a promise offers what the account can pay, where it cannot pay what it would offer at best', async () => {
  const process = begin(memoryStorage());
  network().simulated.setWeather({ usualTip: 0n });
  const { baseFee } = network().simulated.head();
  // At best it would offer twice the base fee.
  const wei = (REGISTRATION * baseFee * 3n) / 2n;
  await setBalance(wei);
  process.submit(PROMISE());
  process.start();
  await until(() => sent.length === 1, 'the promise is sent');
  const [{ gas, maxFeePerGas } = { gas: 0n, maxFeePerGas: 0n }] = sent;
  expect(maxFeePerGas).toBeGreaterThan(baseFee);
  expect(gas * maxFeePerGas).toBeLessThanOrEqual(wei);
  await process.stop();
});
