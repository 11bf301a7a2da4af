import { describe, expect, it } from 'vitest';
import { createLockSupplies } from '../../../src/node/api/lock-supply.ts';
import { MAX_PENDING_LOCKS } from '../../../src/protocol/channel/lock.ts';
import { PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';

type Channel = { payable?: bigint | null; locks?: number };

/** A node with a channel with PARTNER, and others with nobody in particular. */
function node(direct: Channel | null, ...others: Channel[]) {
  const channels = new Map<string, Channel>(others.map((one, at) => [`other ${at}`, one]));
  if (direct !== null) channels.set('direct', direct);
  const payableIn = ({ payable = 100n }: Channel = {}) => payable;
  const supplies = createLockSupplies({
    find: (_, partner) => (partner === PARTNER && direct !== null ? 'direct' : null),
    payers: () =>
      [...channels.values()].flatMap((channel) => {
        const payable = payableIn(channel);
        return payable === null ? [] : [{ payable, ownLocks: channel.locks ?? 0 }];
      }),
    payable: (id) => payableIn(channels.get(id)),
    locksPending: (id) => channels.get(id)?.locks ?? 0,
  });
  const of = ({ target = PARTNER, amount = 10n } = {}) =>
    supplies.of({
      token: TOKEN,
      target,
      amount,
      paymentId: null,
      secret: null,
      secrethash: null,
      lockTimeout: null,
      routes: null,
    });
  return { of, supplies };
}

describe('the locks for a payment', () => {
  it('are those of the channel with the target', () => {
    const { of } = node({ locks: 159 }, {});
    expect(of().name).toBe('direct');
    expect([0, 159, 160].map(of().hasLock)).toEqual([true, true, false]);
    expect(node({ locks: 160 }, {}).of().hasLock(0)).toBe(false);
  });

  it('are those of all open channels when others pass it on, or the direct channel is too small', () => {
    const { of } = node(
      { locks: 160 },
      { locks: 160 },
      { locks: 159, payable: 200n },
      { payable: null },
    );
    for (const asked of [{ target: STRANGER }, { amount: 101n }]) {
      expect(of(asked).name).toBe(TOKEN);
      expect([0, 479, 480].map(of(asked).hasLock)).toEqual([true, true, false]);
    }
  });

  it('are not those of channels in which this node has nothing, which anybody can open', () => {
    const { of, supplies } = node(null, { payable: 1_000n, locks: 160 }, { payable: 0n });
    expect([of().hasLock(160), supplies.isExhausted(TOKEN)]).toEqual([false, true]);
    expect(node(null, { payable: 0n }).of().hasLock(160)).toBe(true);
  });

  it('are exhausted when each open channel has as many as it can have', () => {
    const full = { locks: MAX_PENDING_LOCKS };
    const closed = { payable: null };
    const isExhausted = (...given: Channel[]) => node(null, ...given).supplies.isExhausted(TOKEN);
    expect(isExhausted(full, closed)).toBe(true);
    expect(isExhausted(full, {})).toBe(false);
    // Then the payment has another fault.
    expect(isExhausted(closed)).toBe(false);
    expect(isExhausted()).toBe(false);
  });
});
