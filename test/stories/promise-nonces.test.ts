/** What becomes of promises whose nonces depend on what is no promise, or none any more. */
import { expect, it } from 'vitest';
import { anvilCall } from '../support/chain.ts';
import { REGISTRATION, useQueue } from '../support/promises.ts';
import { until } from '../support/until.ts';

const { network, sent, head, price, setBalance, submit, isMined, mine, emptyPool, ...prices } =
  useQueue();
const hold = (isHeldBack: boolean) =>
  network().simulated.setWeather({ isHeldBack: () => isHeldBack });
/** Gas gets dearer, and ours wait. */
function stuffed() {
  prices.rise();
  hold(true);
}
function steady() {
  prices.stay();
  hold(false);
}
function calm() {
  prices.fall();
  hold(false);
}
/** What is set aside for a promise stays so until it is mined, though its lock was paid. */
const FIRST_PRICE = 10n ** 9n;
const aside = () => 3n * REGISTRATION * FIRST_PRICE;

it('a promise does not wait behind a registration that nobody needs any more, since its lock was paid', async () => {
  let isPaid = false;
  // 10 times what both can ever take is there; nearly all of it is set aside for other promises.
  const escrow = 10n ** 18n;
  const all = escrow + 3n * 2n * REGISTRATION * head().baseFee * 2n;
  await setBalance(all);
  submit('paid', 1, 100n, {
    mayShare: false,
    isPromised: () => !isPaid,
    leaves: () => all,
    aside,
  });
  await until(() => sent.length === 1, 'first');
  stuffed();
  submit('promise', 2, 100n, { mayShare: false, leaves: () => all, aside });
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
  submit('paid', 1, 100n, {
    isPromised: () => !isPaid,
    leaves: () => (isPaid ? wei : 0n),
    aside,
  });
  submit('promise', 2, 100n, { aside });
  await until(() => sent.length === 1, 'first');
  isPaid = true;
  await mine(8);
  steady();
  await mine(40);
  expect(isMined('promise')).toBe(true);
});

/** Set aside at three times the price of now; sent a block later. */
async function tight() {
  const wei = 3n * REGISTRATION * price();
  await setBalance(wei);
  stuffed();
  await mine(1);
  submit('promise', 2, 100n, { mayShare: false });
  await until(() => sent.length === 1, 'first');
  return wei;
}
it('a promise that is late offers what the account can pay', async () => {
  const wei = await tight();
  await mine(8);
  steady();
  await mine(2);
  expect(price()).toBeLessThan(wei / REGISTRATION);
  await mine(40);
  expect(isMined('promise')).toBe(true);
  expect(network().simulated.pool.waiting()).toEqual([]);
});
it('a promise is never signed at a price that the account cannot pay', async () => {
  await tight();
  await mine(7);
  emptyPool();
  calm();
  await mine(60);
  expect(isMined('promise')).toBe(true);
});

it('a promise is mined after a reorganisation has taken back what it had displaced, and what was mined all the same', async () => {
  submit('option', 1, 100n, { mayShare: false, isPromised: () => false });
  await until(() => sent.length === 1, 'the option');
  submit('promise', 2, 100n, { mayShare: false });
  await until(() => sent.length >= 2, 'the promise');
  const [option] = sent;
  if (option === undefined) throw new Error();
  emptyPool();
  network().simulated.pool.restore(option);
  await mine(1);
  await until(() => sent.some(({ nonce }) => nonce === option.nonce + 1), 'the promise anew');
  await anvilCall(network().chain, 'anvil_reorg', 1);
  await mine(60);
  expect(isMined('promise')).toBe(true);
});

it('a promise is mined when its batch has displaced an option and is put together anew', async () => {
  stuffed();
  submit('option', 1, 100n, { mayShare: false, isPromised: () => false });
  await until(() => sent.length === 1, 'the option');
  await setBalance(3n * 2n * REGISTRATION * price());
  submit('promise', 2, 100n);
  submit('other', 3, 100n);
  await until(() => sent.length >= 2, 'the promises');
  await mine(14);
  // The pool, full of better paid ones, has let go of what is far below the base fee.
  emptyPool();
  await mine(3);
  calm();
  await mine(60);
  expect(isMined('promise')).toBe(true);
});

it('a promise does not wait behind another promise', async () => {
  await setBalance(10n ** 18n);
  submit('paid', 1, 100n, { mayShare: false });
  await until(() => sent.length === 1, 'first');
  stuffed();
  submit('promise', 2, 100n, { mayShare: false });
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
  submit('option', 1, 100n, {
    mayShare: false,
    isPromised: () => isPaid,
    leaves: () => (isPaid ? aside() : wei / 2n),
    aside: () => (isPaid ? aside() : 0n),
  });
  await until(() => sent.length === 1, 'the option');
  submit('paid', 2, 100n, {
    mayShare: false,
    isPromised: () => !isPaid,
    leaves: () => (isPaid ? wei : 0n),
    aside,
  });
  await until(() => sent.length >= 2, 'the promise');
  isPaid = true;
  await mine(9);
  steady();
  await mine(40);
  expect(isMined('option')).toBe(true);
});
