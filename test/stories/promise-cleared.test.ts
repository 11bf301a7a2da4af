/** What clears a nonce that is in the way of a promise is offered again and again, whatever gas costs meanwhile. */
import { expect, it } from 'vitest';
import { REGISTRATION, useQueue } from '../support/promises.ts';
import { until } from '../support/until.ts';

const { sent, head, price, setBalance, submit, isMined, mine, emptyPool, rise, stay, fall } =
  useQueue();

it.each([
  ['what clears it stays in the pool', false],
  ['the pool lets go of what is far below the base fee', true],
])('a promise is mined after what is in its way came too late, when %s', async (_, isDropped) => {
  const first = price();
  const own = 3n * REGISTRATION * first;
  await setBalance(own);
  rise();
  submit('late', 1, 35n, { mayShare: false, leaves: () => own, aside: () => own });
  await until(() => sent.length === 1, 'it is sent');
  await mine(13);
  // Gas costs more than four times as much. The next promise has its own money, for up to ten times what gas cost first.
  const dear = price();
  const more = 3n * REGISTRATION * dear;
  await setBalance(own + more);
  submit('promise', 2, 90n, { mayShare: false, leaves: () => own + more, aside: () => more });
  await until(() => sent.some(({ nonce }) => nonce === 1), 'the promise is sent');
  while (price() < 9n * first) await mine(1);
  stay();
  while (head().number < 40n) await mine(1);
  rise();
  await mine(7);
  if (isDropped) emptyPool();
  fall();
  while (price() > 2n * dear) await mine(1);
  stay();
  await mine(70);
  expect(price()).toBeLessThan(3n * dear);
  expect(isMined('promise')).toBe(true);
});
