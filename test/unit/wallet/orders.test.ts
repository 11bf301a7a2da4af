import { beforeEach, describe, expect, it } from 'vitest';
import type { OrderAnswer, WalletOrder } from '../../../src/wallet-page/state/order.ts';
import { createOrderBook } from '../../../src/wallet-page/state/orders.ts';
import { until } from '../../support/until.ts';

const PAY: WalletOrder = {
  kind: 'pay',
  token: '0x1',
  target: '0x2',
  amount: '5',
  identifier: null,
};
const DAY_MS = 86_400_000;
const undone = (outcome: 'not_begun' | 'pending' | 'failed'): OrderAnswer => ({
  ...{ ok: false, outcome, code: null, reason: 'because', identifier: null },
});

describe('what a person has asked for', () => {
  let stored: string | null;
  beforeEach(() => {
    stored = null;
  });

  /** A page: its orders, the keys under which its node was asked, and the answers that it waits for. */
  function openPage() {
    const page = { keys: [] as string[], now: 1_000, signIn: 'first' };
    const answers: ((answer: OrderAnswer) => void)[] = [];
    const orders = createOrderBook({
      perform(_, key) {
        page.keys.push(key);
        return new Promise((resolve) => answers.push(resolve));
      },
      signIn: () => page.signIn,
      onEnd: () => {},
      now: () => page.now,
      kept: () => stored,
      keep(text) {
        stored = text;
      },
    });
    const state = () => orders.placed.value.map((one) => one.state);
    const answer = async (given: OrderAnswer) => {
      answers.shift()?.(given);
      await until(() => !orders.isAsking());
    };
    return Object.assign(page, { orders, state, answer });
  }

  it('is asked once, however often it is pressed, also when it is done', async () => {
    const { orders, keys, state, answer } = openPage();
    orders.place(PAY, 'k');
    orders.place(PAY, 'k');
    expect([keys, state(), orders.isAsking()]).toEqual([['k'], ['asking'], true]);
    await answer({ ok: true });
    orders.place(PAY, 'k');
    expect([keys, state()]).toEqual([['k'], ['done']]);
  });

  it('is known after a reload, and asked for again only when the person wants it, under the same key', async () => {
    openPage().orders.place(PAY, 'k');
    const { orders, keys, state, answer } = openPage();
    expect([keys, state()]).toEqual([[], ['left']]);
    orders.again('k');
    expect(keys).toEqual(['k']);
    await answer({ ok: true });
    expect(state()).toEqual(['done']);
  });

  it('can be asked for again while it is open, not when it has failed', async () => {
    const { orders, keys, state, answer } = openPage();
    orders.place(PAY, 'k');
    for (const outcome of ['pending', 'not_begun', 'failed'] as const) {
      await answer(undone(outcome));
      expect(state()).toEqual([outcome]);
      orders.again('k');
    }
    expect(keys).toEqual(['k', 'k', 'k']);
    expect(orders.placed.value[0]?.reason).toBe('because');
  });

  it('is not asked for again when the node has forgotten the key, or it is that of another token', async () => {
    const page = openPage();
    page.orders.place(PAY, 'k');
    await page.answer(undone('pending'));
    page.now += DAY_MS;
    page.orders.again('k');
    page.now -= DAY_MS;
    page.signIn = 'second';
    page.orders.again('k');
    expect(page.keys).toEqual(['k']);
  });

  it('can be forgotten when it is not under way', async () => {
    const { orders, state, answer } = openPage();
    orders.place(PAY, 'k');
    orders.forget('k');
    expect(state()).toEqual(['asking']);
    await answer({ ok: true });
    orders.forget('k');
    expect(state()).toEqual([]);
  });

  it('is nothing when the storage holds something else', () => {
    stored = '[{"key":5},null,7]';
    expect(openPage().state()).toEqual([]);
    stored = '{';
    expect(openPage().state()).toEqual([]);
  });
});
