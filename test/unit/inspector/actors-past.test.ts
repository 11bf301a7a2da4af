import { describe, expect, it } from 'vitest';
import type { ListedActor } from '../../../src/inspector/wire.ts';
import { lastPayments } from '../../../src/inspector-page/views/actors/last-payments.ts';
import { ownNow, ownSeries, sumOf } from '../../../src/inspector-page/views/actors/past-money.ts';
import { syntheticRows } from '../../support/synthetic-actors.ts';
import { syntheticChannel } from '../../support/synthetic-channel.ts';
import { createStepWriter } from '../../support/synthetic-records.ts';

const [SOME] = syntheticRows(1);
function row(parts: Partial<ListedActor>): ListedActor {
  if (SOME === undefined) throw new Error('there is no row');
  return { ...SOME, isEnded: false, endTime: null, ...parts };
}
const payment = (actor: string, parts: Partial<ListedActor> = {}) =>
  row({ actor, machine: 'initiator', state: 'paid', ...parts });
const ended = (endTime: number | null) => ({ isEnded: true, endTime });

describe('the last payments', () => {
  const actorsOf = (rows: readonly ListedActor[]) => rows.map(({ actor }) => actor);

  it('are those under way, then those that ended, the newest first', () => {
    const before = [payment('old', ended(1)), payment('unknown', ended(null))];
    const actors = [payment('new', ended(2)), payment('now'), row({ machine: 'channel' })];
    expect(actorsOf(lastPayments(before, actors))).toEqual(['now', 'new', 'old', 'unknown']);
  });

  it('are as the list of actors tells them now, without attempts that were replaced', () => {
    const actors = [payment('a', { state: 'failed', ...ended(3) })];
    const replaced = payment('b', { state: 'replaced', ...ended(2) });
    expect(lastPayments([payment('a'), replaced], actors)).toEqual(actors);
  });

  it('are ten at most', () => {
    const many = Array.from({ length: 30 }, (_, index) => payment(`${index}`, ended(index)));
    expect(actorsOf(lastPayments(many, []))).toHaveLength(10);
  });
});

describe('what a node owns over time', () => {
  const whole = (...points: [time: number, own: bigint][]) => ({
    isWhole: true,
    points: points.map(([time, own]) => ({ time, own })),
  });
  const cut = (...points: [time: number, own: bigint][]) => ({
    ...whole(...points),
    isWhole: false,
  });

  it('is the sum of its channels, of which each is nothing before its spawn', () => {
    expect(sumOf([whole([1, 10n], [5, 7n]), whole([3, 100n])])).toEqual([
      { time: 1, own: 10n },
      { time: 3, own: 110n },
      { time: 5, own: 107n },
    ]);
  });

  it('begins where every channel is known', () => {
    expect(sumOf([whole([1, 10n], [6, 12n]), cut([4, 100n], [5, 90n])])).toEqual([
      { time: 4, own: 110n },
      { time: 5, own: 100n },
      { time: 6, own: 102n },
    ]);
  });

  it('is one sum for each moment, and none where nothing changed', () => {
    expect(sumOf([whole([1, 10n], [2, 4n]), whole([1, 5n], [2, 11n])])).toEqual([
      { time: 1, own: 15n },
    ]);
    expect(sumOf([])).toEqual([]);
  });

  it('is read out of the steps of a channel', () => {
    const channel = syntheticChannel(createStepWriter(), { payments: 3 });
    const { base, steps } = channel;
    const { points, isWhole } = ownSeries({ base, steps, hasMore: false });
    expect(isWhole).toBe(true);
    expect(points.at(-1)?.own).toBe(channel.row().balances?.own);
  });

  it('is unknown as long as the balances of one channel are unknown', () => {
    expect(ownNow([row({ balances: { own: 3n, partner: 4n } })])).toBe(3n);
    expect(
      ownNow([row({ balances: null }), row({ balances: { own: 3n, partner: 4n } })]),
    ).toBeNull();
  });
});
