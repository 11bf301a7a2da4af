/** What becomes of promises whose nonces depend on what is no promise, or none any more. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '../../src/chain/queue/jobs.ts';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import { anvilCall } from '../support/chain.ts';
import { startVirtualNetwork } from '../support/network.ts';
import { beginQueue, registration } from '../support/promises.ts';
import { until } from '../support/until.ts';

let network: ReturnType<typeof startVirtualNetwork>;
let sent: Transaction[];
let process: ReturnType<typeof begin>;
const TIP = 10n ** 7n;
/** In virtual milliseconds: long enough for the queue to send what it wants to. */
const BETWEEN_BLOCKS = 150;
beforeEach(async () => {
  network = startVirtualNetwork({});
  sent = [];
  network.simulated.onSubmit((transaction) => void sent.push(transaction));
  network.simulated.setWeather({ usualTip: TIP });
  await anvilCall(network.chain, 'evm_setAutomine', false);
  process = begin();
  process.start();
});
afterEach(async () => {
  expect(process.failures).toEqual([]);
  await process.stop();
  await network.stop();
});

const begin = () => beginQueue(network);
const job = (key: string, number: number, more: Partial<Job>): Job => {
  const deadlineBlock = network.simulated.head().number + 100n;
  return registration(network, key, number, { deadlineBlock, ...more });
};
const isMined = (key: string) => process.outcomes.get(key)?.ok === true;
const base = () => network.simulated.head().baseFee;
const setBalance = (wei: bigint) =>
  anvilCall(
    network.chain,
    'anvil_setBalance',
    network.signerOf('bob').address,
    `0x${wei.toString(16)}`,
  );
/** Mines so many blocks, with time for the queue in between. */
async function mine(blocks: number) {
  for (let n = 0; n < blocks; n++) {
    await anvilCall(network.chain, 'anvil_mine', '0x1');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_BLOCKS));
  }
}
/** Others fill the blocks: the base fee rises by an eighth each; ours wait. */
const LIMIT = () => network.simulated.head().gasLimit;
const stuffed = () =>
  network.simulated.setWeather({
    others: { gas: LIMIT(), tip: 10n ** 12n },
    isHeldBack: () => true,
  });
const steady = () =>
  network.simulated.setWeather({ others: { gas: LIMIT() / 2n, tip: 0n }, isHeldBack: () => false });
const calm = () =>
  network.simulated.setWeather({ others: { gas: 0n, tip: 0n }, isHeldBack: () => false });
/** What is set aside for a promise stays so until it is mined, though its lock was paid. */
const FIRST_PRICE = 10n ** 9n;
const aside = () => 3n * 60_000n * FIRST_PRICE;

it('a promise does not wait behind a registration that nobody needs any more, since its lock was paid', async () => {
  let isPaid = false;
  // 10 times what both can ever take is there; nearly all of it is set aside for other promises.
  const escrow = 10n ** 18n;
  const all = escrow + 3n * 120_000n * base() * 2n;
  await setBalance(all);
  process.submit(
    job('paid', 1, {
      mayShare: false,
      isPromised: () => !isPaid,
      leaves: () => all,
      aside,
    }),
  );
  await until(() => sent.length === 1, 'first');
  stuffed();
  process.submit(job('promise', 2, { mayShare: false, leaves: () => all, aside }));
  await until(() => sent.length >= 2, 'second');
  isPaid = true;
  await mine(8);
  steady();
  await mine(40);
  expect(isMined('promise')).toBe(true);
});

it('a promise is not kept waiting by another in its batch whose lock was paid', async () => {
  let isPaid = false;
  const wei = 10n ** 18n;
  await setBalance(wei);
  stuffed();
  process.submit(
    job('paid', 1, {
      mayShare: true,
      isPromised: () => !isPaid,
      leaves: () => (isPaid ? wei : 0n),
      aside,
    }),
  );
  process.submit(job('promise', 2, { mayShare: true, aside }));
  await until(() => sent.length === 1, 'first');
  isPaid = true;
  await mine(8);
  steady();
  await mine(40);
  expect(isMined('promise')).toBe(true);
});

/** Set aside at three times the price of now; sent a block later. */
async function tight() {
  const wei = 3n * 60_000n * (base() + TIP);
  await setBalance(wei);
  stuffed();
  await mine(1);
  process.submit(job('promise', 2, { mayShare: false }));
  await until(() => sent.length === 1, 'first');
  return wei;
}
it('a promise that is late offers what the account can pay', async () => {
  const wei = await tight();
  await mine(8);
  steady();
  await mine(2);
  expect(base() + TIP).toBeLessThan(wei / 60_000n);
  await mine(40);
  expect(isMined('promise')).toBe(true);
  expect(network.simulated.pool.waiting()).toEqual([]);
});
it('a promise is never signed at a price that the account cannot pay', async () => {
  await tight();
  await mine(7);
  for (const one of network.simulated.pool.waiting()) network.simulated.pool.drop(one);
  calm();
  await mine(60);
  expect(isMined('promise')).toBe(true);
});

it('a promise is mined after a reorganisation has taken back what it had displaced, and what was mined all the same', async () => {
  process.submit(job('option', 1, { mayShare: false, isPromised: () => false }));
  await until(() => sent.length === 1, 'the option');
  process.submit(job('promise', 2, { mayShare: false }));
  await until(() => sent.length >= 2, 'the promise');
  const [option] = sent;
  if (option === undefined) throw new Error();
  for (const one of network.simulated.pool.waiting()) network.simulated.pool.drop(one);
  network.simulated.pool.restore(option);
  await mine(1);
  await until(() => sent.some(({ nonce }) => nonce === option.nonce + 1), 'the promise anew');
  await anvilCall(network.chain, 'anvil_reorg', 1);
  await mine(60);
  expect(isMined('promise')).toBe(true);
});

it('a promise is mined when its batch has displaced an option and is put together anew', async () => {
  stuffed();
  process.submit(job('option', 1, { mayShare: false, isPromised: () => false }));
  await until(() => sent.length === 1, 'the option');
  await setBalance(3n * 120_000n * (base() + TIP));
  process.submit(job('promise', 2, { mayShare: true }));
  process.submit(job('other', 3, { mayShare: true }));
  await until(() => sent.length >= 2, 'the promises');
  await mine(14);
  // The pool, full of better paid ones, has let go of what is far below the base fee.
  for (const one of network.simulated.pool.waiting()) network.simulated.pool.drop(one);
  await mine(3);
  calm();
  await mine(60);
  expect(isMined('promise')).toBe(true);
});

it('a promise does not wait behind another promise', async () => {
  await setBalance(10n ** 18n);
  process.submit(job('paid', 1, { mayShare: false }));
  await until(() => sent.length === 1, 'first');
  stuffed();
  process.submit(job('promise', 2, { mayShare: false }));
  await until(() => sent.length >= 2, 'second');
  await mine(8);
  steady();
  await mine(40);
  expect(isMined('promise')).toBe(true);
});

it('what was displaced and is promised now does not wait behind what is not promised any more', async () => {
  let isPaid = false;
  const wei = 10n ** 18n;
  await setBalance(wei);
  stuffed();
  process.submit(
    job('option', 1, {
      mayShare: false,
      isPromised: () => isPaid,
      leaves: () => (isPaid ? aside() : wei / 2n),
      aside: () => (isPaid ? aside() : 0n),
    }),
  );
  await until(() => sent.length === 1, 'the option');
  process.submit(
    job('paid', 2, {
      mayShare: false,
      isPromised: () => !isPaid,
      leaves: () => (isPaid ? wei : 0n),
      aside,
    }),
  );
  await until(() => sent.length >= 2, 'the promise');
  isPaid = true;
  await mine(9);
  steady();
  await mine(40);
  expect(isMined('option')).toBe(true);
});
