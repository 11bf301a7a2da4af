/** Promises come before what nobody waits for any more, and before what is too dear for the account. */
import { describe, expect, it } from 'vitest';
import { REGISTRATION, useQueue } from '../support/promises.ts';
import { until } from '../support/until.ts';

const queue = useQueue();
const { network, sent, head, price, setBalance, submit, isMined, mine, rise, stay } = queue;

describe('what was promised', () => {
  it.each([
    ['without any', 0],
    ['behind a hundred', 100],
  ])('is mined %s claims that came too late to be of use to anybody', async (_, options) => {
    const aside = 3n * 2n * REGISTRATION * price();
    const gas = options === 0 ? 0n : 30_000n + 27_500n * BigInt(options);
    await setBalance(aside + gas * (head().baseFee + price()));
    const option = { isPromised: () => false, leaves: () => aside };
    for (let n = 0; n < options; n++) submit(`option ${n}`, 100 + n, 25n, option);
    rise();
    if (options > 0) await until(() => sent.length > 0, 'the options are sent');
    await mine(8);
    stay();
    await mine(26);
    for (const n of [1, 2]) submit(`promise ${n}`, n, 30n, { mayShare: false });
    await mine(30);
    expect([1, 2].map((n) => isMined(`promise ${n}`))).toEqual([true, true]);
  });

  it.each([
    ['are not paid', false],
    ['are paid', true],
  ])(
    'is mined when the others of its batch %s, whatever else there is',
    async (_, areOthersPaid) => {
      let isPaid = false;
      const first = price();
      const all = 3n * 100n * REGISTRATION * first;
      await setBalance(all);
      rise();
      const aside = () => 3n * REGISTRATION * first;
      submit('promise', 1, 100n, { leaves: () => all, aside });
      const paid = { isPromised: () => !isPaid, leaves: () => all, aside };
      for (let n = 0; n < 99; n++) submit(`other ${n}`, 10 + n, 100n, paid);
      await until(() => sent.length === 1, 'the promises are sent');
      isPaid = areOthersPaid;
      const option = { isPromised: () => false, leaves: () => all };
      for (let n = 0; n < 260; n++) submit(`option ${n}`, 1_000 + n, 100n, option);
      await mine(9);
      stay();
      await mine(60);
      expect(isMined('promise')).toBe(true);
    },
  );

  it('is mined before a registration whose lock was paid when the node starts again', async () => {
    const all = 2n * 3n * REGISTRATION * price();
    await setBalance(all);
    rise();
    const aside = () => all / 2n;
    submit('paid', 2, 100n, { mayShare: false, leaves: () => all, aside });
    await until(() => sent.length === 1, 'the first is sent');
    submit('promise', 1, 100n, { mayShare: false, leaves: () => all, aside });
    await until(() => sent.length >= 2, 'the second is sent');
    await queue.replace();
    submit('paid', 2, 100n, { isPromised: () => false, mayShare: false, leaves: () => all / 2n });
    submit('promise', 1, 100n, { mayShare: false, leaves: () => all / 2n, aside });
    queue.start();
    await mine(8);
    stay();
    await mine(40);
    expect(isMined('promise')).toBe(true);
  });

  it.each([
    ['four times', 13],
    ['ten times', 21],
  ])(
    'does not wait for one sent in the same block when gas costs %s as much, which that one cannot pay',
    async (_, dearer) => {
      const first = price();
      const cheap = (3n * REGISTRATION * first) / 2n;
      const dear = 100n * 3n * REGISTRATION * first;
      await setBalance(cheap + dear);
      rise();
      const leaves = () => cheap + dear;
      submit('cheap', 2, 200n, { mayShare: false, leaves, aside: () => cheap });
      await until(() => sent.length === 1, 'the cheap one is sent');
      submit('dear', 1, 60n, { mayShare: false, leaves, aside: () => dear });
      await until(() => sent.length >= 2, 'the dear one is sent');
      await mine(dearer);
      stay();
      await mine(65 - dearer);
      expect(isMined('dear')).toBe(true);
    },
  );

  it('is not put together with what can pay less', async () => {
    const cheap = (3n * REGISTRATION * price()) / 2n;
    const dear = 20n * cheap;
    const all = 9n * cheap + dear;
    await setBalance(all);
    rise();
    const leaves = () => all;
    for (let n = 0; n < 9; n++) submit(`cheap ${n}`, 10 + n, 200n, { leaves, aside: () => cheap });
    submit('dear', 1, 60n, { leaves, aside: () => dear });
    await until(() => sent.length >= 2, 'they are sent');
    await mine(21);
    stay();
    await mine(42);
    expect(isMined('dear')).toBe(true);
  });

  it('is sent for what blocks ask, whatever tips are said to be usual', async () => {
    stay();
    await setBalance(3n * REGISTRATION * price());
    network().simulated.setWeather({ usualTip: 3n * head().baseFee });
    submit('promise', 1, 30n);
    await mine(35);
    expect(isMined('promise')).toBe(true);
  });

  it.each([
    ['has not given way before', false],
    ['has given way before', true],
  ])(
    'waits for one block at most, when an option %s and is made dearer in each',
    async (_, isAgain) => {
      const option = { isPromised: () => false };
      for (let n = 0; n < 4; n++) submit(`option ${n}`, 100 + n, 200n, option);
      await until(() => sent.length === 1, 'the options are sent');
      if (isAgain) {
        submit('first', 1, 50n, { mayShare: false });
        await until(() => sent.length >= 2, 'the first is sent in their place');
        await mine(1);
        await until(() => sent.length > 2, 'the options are sent again');
      }
      // There is room for the promise in each block, and not for the options.
      network().simulated.setWeather({
        others: { gas: head().gasLimit - REGISTRATION, tip: 10n ** 12n },
      });
      submit('promise', 2, 9n, { mayShare: false });
      await mine(10);
      expect(isMined('promise')).toBe(true);
    },
  );
});
