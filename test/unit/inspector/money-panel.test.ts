import { describe, expect, it } from 'vitest';
import { grouped } from '../../../src/basics/digits.ts';
import { shortId } from '../../../src/inspector/texts/short-id.ts';
import type { ListedActor, MoneySide, StepRecords } from '../../../src/inspector/wire.ts';
import { conservation, sideBars, whatIf } from '../../../src/inspector-page/views/money/bars.ts';
import { amountsOf } from '../../../src/inspector-page/views/money/payment.ts';
import {
  balancePoints,
  heightOn,
  scaleOf,
} from '../../../src/inspector-page/views/money/series.ts';
import { permille, signed } from '../../../src/page-parts/digits.ts';
import { CHANNEL, OWN, PARTNER } from '../../support/makers.ts';
import { changed, missing, spawned } from '../../support/step-makers.ts';

function sideOf(parts: Partial<MoneySide>): MoneySide {
  const nothing = { withdrawn: 0n, reserved: 0n, locked: 0n, capacity: 0n, nonce: 0n };
  return { address: OWN, deposit: 0n, balance: 0n, ...nothing, ...parts };
}
const own = sideOf({ deposit: 100n, withdrawn: 10n, reserved: 5n, balance: 65n, locked: 15n });
const partner = sideOf({ address: PARTNER, deposit: 100n, balance: 120n });

describe('the bars of both sides', () => {
  it('stand on one scale: the longest of them fills it', () => {
    const [ours, theirs] = sideBars({ own, partner });
    expect(ours.parts.map(({ kind, amount, start }) => [kind, amount, start])).toEqual([
      ['free', 50n, 0n],
      ['locked', 15n, 50n],
      ['reserved', 5n, 65n],
      ['withdrawn', 10n, 70n],
    ]);
    expect(theirs.parts[0]).toMatchObject({ kind: 'free', start: 0n, amount: 120n });
    expect([ours.scale, theirs.scale]).toEqual([120n, 120n]);
  });

  it('have no length for less than nothing', () => {
    const [broken] = sideBars({ own: sideOf({ deposit: 10n, balance: 5n, locked: 8n }), partner });
    expect(broken.parts[0]).toMatchObject({ kind: 'free', amount: 0n });
  });
});

describe('the conservation of a channel', () => {
  it('counts to the unit', () => {
    expect(conservation({ own, partner })).toMatchObject({ deposits: 200n, missing: 0n });
    const more = { ...partner, balance: 121n };
    expect(conservation({ own, partner: more }).missing).toBe(-1n);
  });
});

describe('an older proof', () => {
  const now = { own: 50n, partner: 50n, ownLocks: 0n, partnerLocks: 0n };
  const facts = { nonce: 3n, transferredAmount: 0n, lockedAmount: 0n, locksroot: '0x' };

  it.each([
    [55n, 'gain', 5n],
    [50n, 'same', 0n],
    [49n, 'loss', -1n],
  ] as const)('that pays %s where 50 are due is a %s', (paid, verdict, difference) => {
    const payout = { ...now, own: paid };
    expect(whatIf({ side: 'own', ...facts, payout }, now)).toMatchObject({ verdict, difference });
  });
});

const end = { deposit: 100n, withdrawn: 0n, withdraws: [], transferred: 0n, locked: 0n };
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value }) as const;

describe('the balances over the steps', () => {
  const start = { ownEnd: end, partnerEnd: end, jobs: 1 };
  const at = (seq: number) => ({ seq, block: BigInt(seq), time: seq * 1_000 });

  it('have a point for each step that changed one, and for the newest', () => {
    const steps: StepRecords[] = [
      spawned(1, 'opened', start),
      changed(2, 'opened', [replace('/jobs', 2)]),
      changed(3, 'opened', [replace('/ownEnd/locked', 10n)]),
      changed(4, 'opened', [replace('/ownEnd/locked', 0n), replace('/ownEnd/transferred', 10n)]),
      changed(5, 'opened', [replace('/jobs', 3)]),
    ];
    expect(balancePoints(null, steps)).toEqual([
      { ...at(1), own: 100n, free: 100n, partner: 100n },
      { ...at(3), own: 100n, free: 90n, partner: 100n },
      { ...at(4), own: 90n, free: 90n, partner: 110n },
      { ...at(5), own: 90n, free: 90n, partner: 110n },
    ]);
  });

  it('begin where the history begins', () => {
    const base = { seq: 1, state: 'opened', context: start };
    const promised = [{ totalWithdraw: 30n, expiration: 9n }];
    const steps = [changed(2, 'opened', [replace('/ownEnd/withdraws', promised)])];
    expect(balancePoints(base, steps)).toEqual([{ ...at(2), own: 70n, free: 70n, partner: 100n }]);
  });

  it('are unknown after a gap', () => {
    const steps = [
      spawned(1, 'opened', start),
      missing(2, 5),
      changed(6, 'opened', [replace('/jobs', 2)]),
    ];
    expect(balancePoints(null, steps).map(({ seq }) => seq)).toEqual([1]);
  });

  it('are drawn as fractions, at a few round amounts', () => {
    const scale = scaleOf([3n * 10n ** 18n, 7n * 10n ** 18n]);
    expect(scale.ticks).toEqual([0n, 2n, 4n, 6n, 8n].map((n) => n * 10n ** 18n));
    expect(heightOn(3n * 10n ** 18n, scale)).toBeCloseTo(3 / 8, 5);
    expect(scaleOf([]).top).toBe(1n);
  });
});

describe('the amounts of a payment', () => {
  const rowOf = (machine: string, amount: bigint | null = null): ListedActor => ({
    actor: `${machine}:1`,
    machine,
    state: '',
    token: null,
    partner: null,
    initiator: null,
    target: null,
    balances: null,
    paymentId: null,
    amount,
    deadlineBlock: null,
    isEnded: false,
    endTime: null,
  });

  it('are what was asked for, the fees and the lock, and say nothing that only other nodes know', () => {
    const order = { amount: 100n, lockAmount: 103n, channel: CHANNEL };
    const { amounts, channels } = amountsOf(rowOf('initiator'), { order, expiration: 9n });
    expect(amounts.map(({ label, amount }) => [label, amount])).toEqual([
      ['Amount', 100n],
      ['For fees', 3n],
      ['Lock', 103n],
    ]);
    expect(amounts[0]?.note).toBe('what was asked for the target');
    expect(channels).toEqual([{ label: 'Paid through', actor: CHANNEL }]);
  });

  it('are what a mediator takes, passes on and keeps', () => {
    const sides = { payer: { channel: CHANNEL }, payee: { channel: 'channel:2', amount: 98n } };
    const found = amountsOf(rowOf('mediator'), { amount: 100n, expiration: 9n, ...sides });
    expect(found.amounts.map(({ amount }) => amount)).toEqual([100n, 98n, 2n]);
    expect(found.channels.map(({ actor }) => actor)).toEqual([CHANNEL, 'channel:2']);
  });

  it('are the lock alone while a mediator has found nobody yet', () => {
    const found = amountsOf(rowOf('mediator'), { amount: 100n, payer: {}, payee: null });
    expect(found.amounts.map(({ label }) => label)).toEqual(['Lock that comes in']);
  });

  it('are what the list of actors says of every other actor', () => {
    expect(amountsOf(rowOf('withdrawal', 7n), {}).amounts[0]?.amount).toBe(7n);
    expect(amountsOf(rowOf('node'), {})).toEqual({ amounts: [], channels: [] });
  });
});

describe('a number of the page', () => {
  it('has every digit', () => {
    expect(grouped(12345678901234567890n)).toBe('12,345,678,901,234,567,890');
    expect([signed(5n), signed(-1_000n), signed(0n)]).toEqual(['+5', '−1,000', '±0']);
    expect(permille(2n ** 90n, 2n ** 91n)).toBe(500);
  });

  it('is cut where it is a name', () => {
    expect(shortId(CHANNEL)).toBe('channel:0xe7f1…0512:1');
  });
});
