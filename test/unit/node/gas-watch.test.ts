import { describe, expect, it } from 'vitest';
import { createGasWatch } from '../../../src/node/chain/gas/gas-watch.ts';
import type { Result } from '../../../src/protocol/codes.ts';
import { OWN } from '../../support/makers.ts';

const MINUTE = 60_000;
const silent: Result<bigint> = { ok: false, code: 'chain_unavailable' };
const said = (value: bigint): Result<bigint> => ({ ok: true, value });

function watched() {
  const facts = { balance: said(1_000n), price: said(7n), reserved: 0n, now: 0, looks: 0 };
  const watch = createGasWatch({
    own: OWN,
    reads: { nativeBalance: async () => facts.balance, gasPrice: async () => facts.price },
    clock: { now: () => facts.now, elapsed: () => facts.now, every: () => () => {} },
    reserved: () => facts.reserved,
    onLooked: () => {
      facts.looks += 1;
    },
  });
  const lookAt = async (parts: Partial<typeof facts>) => {
    Object.assign(facts, parts);
    await watch.lookAfresh();
  };
  return { facts, watch, lookAt };
}

describe('what the account has for gas', () => {
  it('is not known before the endpoint has said it', async () => {
    const { watch, lookAt, facts } = watched();
    expect([watch.money(), watch.hasLooked()]).toEqual([null, false]);
    await lookAt({ balance: silent });
    expect([watch.money(), watch.hasLooked(), facts.looks]).toEqual([null, true, 1]);
    await lookAt({ balance: said(1_000n), price: silent });
    expect(watch.money()).toEqual({ spare: 1_000n, price: 7n });
  });

  it('is what transactions under way have not reserved, now or when it was asked for', async () => {
    const { watch, lookAt, facts } = watched();
    await lookAt({ reserved: 300n });
    expect(watch.money()?.spare).toBe(700n);
    facts.reserved = 400n;
    expect(watch.money()?.spare).toBe(600n);
    // Mined since: the balance is still the old one.
    facts.reserved = 0n;
    expect(watch.money()?.spare).toBe(700n);
  });

  it('is unknown again when the endpoint falls silent, or the process slept', async () => {
    const { watch, lookAt, facts } = watched();
    await lookAt({});
    facts.now = MINUTE;
    expect(watch.money()).not.toBeNull();
    facts.now = MINUTE + 1;
    expect(watch.money()).toBeNull();
    await lookAt({ balance: silent, price: silent });
    expect(watch.money()).toBeNull();
    await lookAt({ balance: said(5n), price: said(3n) });
    expect(watch.money()?.spare).toBe(5n);
    facts.now = -MINUTE;
    expect(watch.money()).toBeNull();
  });

  it('has to be asked for again by a process that slept, before anything is judged by it', async () => {
    const { watch, lookAt, facts } = watched();
    await lookAt({});
    facts.now = MINUTE + 1;
    expect(watch.hasLooked()).toBe(false);
    await lookAt({ balance: silent, price: silent });
    expect(watch.hasLooked()).toBe(true);
  });

  it('goes by the highest price of the last ten minutes', async () => {
    const { watch, lookAt } = watched();
    await lookAt({ price: said(90n) });
    await lookAt({ now: 9 * MINUTE, price: said(1n) });
    expect(watch.money()?.price).toBe(90n);
    await lookAt({ now: 11 * MINUTE });
    expect(watch.money()?.price).toBe(1n);
  });
});
