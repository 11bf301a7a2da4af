/** What is set aside for a promise that is mined stays for it as long as a reorganisation can undo that. */
import { expect, it } from 'vitest';
import { secretOf } from '../support/makers.ts';
import { REGISTRATION, useQueue } from '../support/promises.ts';

const { network, sent, setBalance, head, rise, stay, price, submit, mine } = useQueue();

/** Whether one of the transactions that register this secret is in the chain now. */
async function isThere(number: number): Promise<boolean> {
  const { client } = network().chain;
  const hashes = sent
    .filter(({ data }) => data.includes(secretOf(number).slice(2)))
    .map(({ hash }) => hash);
  const receipts = await Promise.all(
    hashes.map((hash) => client.getTransactionReceipt({ hash }).catch(() => null)),
  );
  return receipts.some((receipt) => receipt !== null);
}

it.each([
  ['nothing else is sent', 1, false],
  ['an option is sent meanwhile', 1, true],
  ['an option is sent meanwhile', 3, true],
  ['an option is sent meanwhile', 5, true],
])('two promises are mined when %s, and %i blocks are replaced', async (_, depth, hasOption) => {
  stay();
  await mine(3);
  const first = price();
  const own = 3n * REGISTRATION * first;
  const promise = { mayShare: false, aside: () => own, leaves: () => 2n * own };
  await setBalance(2n * own);
  rise();
  for (const number of [1, 2]) submit(`promise ${number}`, number, 60n, promise);
  await mine(2);
  const room = { gas: head().gasLimit - 400_000n, tip: 10n ** 12n };
  network().simulated.setWeather({ others: room });
  await mine(1);
  rise();
  const option = { ...promise, isPromised: () => false, aside: () => 0n };
  if (hasOption) submit('option', 3, 300n, option);
  await mine(depth - 1);
  network().simulated.reorganise(depth, { keep: 'later' });
  await mine(5 - depth);
  stay();
  await mine(45);
  expect(head().baseFee).toBeLessThan((5n * first) / 2n);
  expect([await isThere(1), await isThere(2)]).toEqual([true, true]);
});

it.each([
  ['one much stronger', [21n]],
  ['four of its own price', [1n, 1n, 1n, 1n]],
  ['four stronger ones of prices apart', [2n, 4n, 9n, 21n]],
])('a promise is mined in its turn, though %s come due in each block', async (_, others) => {
  stay();
  const aside = 3n * REGISTRATION * price();
  await setBalance(100_000n * aside);
  const leaves = () => 5_000n * aside;
  submit('promise', 1, 50n, { aside: () => aside, leaves });
  for (let block = 0; block < 10; block++) {
    for (const [at, times] of others.entries()) {
      const number = 2 + block * others.length + at;
      submit(`other ${number}`, number, 50n, { aside: () => times * aside, leaves });
    }
    await mine(1);
  }
  expect(await isThere(1)).toBe(true);
});
