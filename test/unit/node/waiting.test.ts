import { expect, it } from 'vitest';
import type { Tx } from '../../../machines/effects.ts';
import { createWaiting } from '../../../src/node/chain/jobs/waiting.ts';
import type { Held } from '../../../src/node/chain/jobs/weighing.ts';
import { hashOf } from '../../support/makers.ts';
import { channelView, PARTNER, STRANGER, TOKEN } from '../http/fake-node.ts';

const CHANNEL = 'channel:1';
const SHOWN = { token: TOKEN, partner: PARTNER, channelId: 7n, reason: 'budget spent' };
const registration = (from: string): Tx => ({
  type: 'tx.registerSecret',
  from,
  key: from,
  deadlineBlock: null,
  secret: hashOf(1),
});

/** Registrations of these payments wait; that of `target:1` claims a lock of the channel. */
function waitingOf(payments: readonly string[], wei = 10n ** 18n) {
  const all = payments.map((from): Held => ({ tx: registration(from), why: 'budget spent' }));
  const claim = { ...SHOWN, channel: CHANNEL, amount: 1n, isOpen: false, isForced: true };
  const rest = {
    revealTimeout: 10n,
    isSmall: true,
    isKept: true,
    isDust: true,
    isStranger: true,
    price: 0n,
    wei: 0n,
  };
  return createWaiting({
    engine: { flush: () => {} },
    jobs: { waiting: () => all, order: (isWanted) => all.filter(({ tx }) => isWanted(tx)) },
    view: (id) => (id === CHANNEL ? channelView() : null),
    protection: {
      pending: { claim: (id) => (id === 'target:1' ? { ...claim, ...rest } : null) },
      ledger: { gasOf: () => 60_000n },
      freeGasMoney: async () => ({ ok: true, value: { wei, price: 10n ** 9n } }),
    },
  });
}

it('a registration that waits is listed with the channel of its lock, unless nothing needs it any more', () => {
  const { waitingTransactions } = waitingOf(['target:1', 'target:2']);
  expect(waitingTransactions()).toEqual([{ type: 'tx.registerSecret', ...SHOWN }]);
});

it('what waits is ordered by partner and token', async () => {
  const { orderWaiting } = waitingOf(['target:1', 'target:2']);
  const value = [{ type: 'tx.registerSecret', ...SHOWN }];
  expect(await orderWaiting(TOKEN, PARTNER)).toEqual({ ok: true, value });
  const nothing = { ok: false, code: 'nothing_waits' };
  expect(await orderWaiting(TOKEN, STRANGER)).toMatchObject(nothing);
  expect(await orderWaiting(STRANGER, PARTNER)).toMatchObject(nothing);
});

it('what waits is not sent with less money than it takes, and the order says how much is missing', async () => {
  const wei = 3n * 60_000n * 10n ** 9n;
  expect(await waitingOf(['target:1'], wei).orderWaiting(TOKEN, PARTNER)).toMatchObject({
    ok: true,
  });
  expect(await waitingOf(['target:1'], wei - 7n).orderWaiting(TOKEN, PARTNER)).toEqual({
    ok: false,
    code: 'insufficient_gas',
    detail: 'Send the account of this node 7 wei more.',
  });
});

it('no more than 1,000 are listed', () => {
  const { waitingTransactions } = waitingOf(Array.from({ length: 1_001 }, () => 'target:1'));
  expect(waitingTransactions()).toHaveLength(1_000);
});
