/**
 * A promise takes the nonce of an option: which of both was mined, an endpoint without old states does not tell. Nothing
 * else waits for that.
 */
import { expect, it } from 'vitest';
import { createTransactions } from '../../src/chain/queue/transactions.ts';
import { memoryStorage } from '../support/chain.ts';
import { registration, useStillChain } from '../support/promises.ts';
import { until } from '../support/until.ts';

/** Blocks in which a promise that has nothing to do with it is mined. */
const MOST = 6n;
/** In virtual milliseconds. */
const BETWEEN_BLOCKS = 400;
const AN_HOUR = 300n;

const chain = useStillChain();
const { network, sent, emptyPool } = chain;
const head = () => chain.head().number;
const mine = (blocks: number) => chain.mine(blocks, BETWEEN_BLOCKS);

/** A queue at an endpoint that keeps the states of so many blocks, and when its jobs were mined. */
function begin(kept: bigint, storage = memoryStorage()) {
  const { client } = network().chain;
  const getTransactionCount: typeof client.getTransactionCount = async (asked) => {
    const { blockNumber = head() } = 'blockNumber' in asked ? asked : {};
    if (blockNumber < head() - kept) throw new Error('missing trie node');
    return client.getTransactionCount(asked);
  };
  const mined = new Map<string, bigint>();
  const failures: unknown[] = [];
  const queue = createTransactions({
    client: { ...client, getTransactionCount },
    account: network().signerOf('bob'),
    storage,
    confirmations: 5n,
    onEnded: (key, outcome) => void (outcome.ok && mined.set(key, outcome.minedBlock)),
    onFailure: (error) => void failures.push(error),
    onTrouble: () => {},
    pollIntervalMs: 20,
  });
  queue.start();
  const submit = (keys: readonly string[], isPromised: boolean) => {
    for (const [n, key] of keys.entries()) {
      const more = { mayShare: false, deadlineBlock: head() + 70n };
      const number = 10 * key.length + n;
      queue.submit(registration(network(), key, number, { ...more, isPromised: () => isPromised }));
    }
  };
  const send = async (keys: readonly string[], isPromised: boolean) => {
    const count = sent.length + keys.length;
    submit(keys, isPromised);
    await until(() => sent.length >= count, 'all are sent');
  };
  return { queue, mined, failures, submit, send };
}

it.each([
  ['there are old states', 1_000n, false],
  ['there are no old states', 0n, false],
  ['there are none, and the option was mined', 0n, true],
])('a promise and another one are mined soon when %s', async (_, kept, isRaceLost) => {
  const { queue, mined, failures, submit, send } = begin(kept);
  await send(['option'], false);
  await send(['promise'], true);
  const [option] = sent;
  if (option === undefined) throw new Error('the option is not there');
  if (isRaceLost) {
    emptyPool();
    network().simulated.pool.restore(option);
  }
  const start = head();
  await mine(1);
  submit(['other one'], true);
  await mine(20);
  await queue.stop();
  for (const key of ['promise', 'other one'])
    expect((mined.get(key) ?? start + 99n) - start).toBeLessThanOrEqual(MOST);
  expect(failures).toEqual([]);
});

it.each([0, 1, 4])(
  'a promise is mined soon after an hour at a usual endpoint, though %i options were displaced before',
  async (count) => {
    const storage = memoryStorage();
    const first = begin(128n, storage);
    const options = Array.from({ length: count }, (_, n) => `an option ${n}`);
    const promises = Array.from({ length: Math.max(1, count) }, (_, n) => `the promise ${n}`);
    await first.send(options, false);
    await first.send(promises, true);
    await first.queue.stop();
    await network().mine(AN_HOUR);
    const next = begin(128n, storage);
    const start = head();
    next.submit(options, false);
    next.submit([...promises, 'urgent'], true);
    await mine(70);
    await next.queue.stop();
    expect((next.mined.get('urgent') ?? start + 99n) - start).toBeLessThanOrEqual(MOST);
  },
  60_000,
);
