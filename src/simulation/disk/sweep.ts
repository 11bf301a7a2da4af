/** Deletes what is not needed any more in slices, as `src/store/history/sweep.ts` does. */

import { shareOf } from '../../store/base/share.ts';
import type { Keep } from '../../store/history/old-history.ts';
import type { Kept } from '../../store/history/sweep.ts';
import { callKey, type Departure, type Tables } from './tables.ts';

type Work = (tables: Tables) => void;
type Options = { kept: Kept; write(work: Work): void };

/** Notes that a channel has left the chain: its steps are those of the departure from now on. */
export function depart({ departures, steps }: Tables, departed: Omit<Departure, 'hasProofs'>) {
  let number = departures.size();
  while (departures.has(`departed:${number}`)) number += 1;
  const key = `departed:${number}`;
  departures.set(key, { ...departed, hasProofs: true });
  steps.rename(departed.channel, key);
}

/** Deletes one slice; whether there was one. */
export function swept(tables: Tables, rows: number, { kept, write }: Options): boolean {
  const { departures } = tables;
  const key = departures.keys().find((one) => departures.get(one)?.hasProofs === true);
  const departed = key === undefined ? undefined : departures.get(key);
  const { history, callsFrom, redemptionsFrom } = kept;
  const old = () =>
    (callsFrom === null ? null : oldCalls(tables, rows, callsFrom)) ??
    (redemptionsFrom === null ? null : oldRedemptions(tables, rows, redemptionsFrom)) ??
    (history === null
      ? null
      : (oldPayments(tables, rows, history) ?? oldLogs(tables, rows, history)));
  const work =
    key !== undefined && departed !== undefined
      ? (all: Tables) => {
          if (all.steps.cut(key, rows) < rows)
            all.departures.set(key, { ...departed, hasProofs: false });
        }
      : old();
  if (work !== null) write(work);
  return work !== null;
}

function oldCalls({ calls }: Tables, rows: number, from: number): Work | null {
  const old = calls
    .list()
    .filter(({ answer, time }) => answer !== null && time < from)
    .sort((a, b) => a.time - b.time)
    .slice(0, shareOf(rows, 'call'));
  return old.length === 0
    ? null
    : (all) => {
        for (const call of old) all.calls.remove(callKey(call));
      };
}

function oldRedemptions({ redemptions }: Tables, rows: number, from: number): Work | null {
  const received = redemptions
    .entries()
    .map(([, row]) => row.received)
    .filter((time) => time < from)
    .sort((a, b) => a - b);
  const last = received.slice(0, shareOf(rows, 'call')).at(-1);
  if (last === undefined) return null;
  return (all) => {
    raiseRedeemable(all, last + 1);
    for (const [secrethash, row] of all.redemptions.entries())
      if (row.received <= last) all.redemptions.remove(secrethash);
  };
}

/** Payments that were received before can be redeemed no more. */
export function raiseRedeemable(tables: Tables, from: number): void {
  if (from > tables.facts().redeemableFrom) tables.setFacts({ redeemableFrom: from });
}

function oldPayments({ payments }: Tables, rows: number, { from }: Keep): Work | null {
  const { oldest, newest } = payments.bounds();
  const last = oldest + shareOf(rows, 'spent') - 1;
  const found = payments.range(oldest, Math.min(newest - 1, last));
  const newer = found.findIndex(({ record }) => record.time >= from);
  const old = newer < 0 ? found.length : newer;
  return old === 0 ? null : (all) => all.payments.drop(old);
}

function oldLogs({ actors, departures, logs }: Tables, rows: number, { from }: Keep): Work | null {
  const key = departures.keys().find((one) => departures.get(one)?.hasProofs === false);
  const departed = key === undefined ? undefined : departures.get(key);
  if (key === undefined || departed === undefined || departed.time >= from) return null;
  const { channel } = departed;
  const found = actors.has(channel) ? [] : (logs.get(channel) ?? []);
  return (all) => {
    if (found.length > 0) all.logs.set(channel, found.slice(rows));
    if (found.length < rows) all.departures.remove(key);
  };
}
