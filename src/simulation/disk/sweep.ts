/** Deletes what is not needed any more in slices, as `src/store/sweep.ts` does. */
import type { Departure, Tables } from './tables.ts';

type Write = (work: (tables: Tables) => void) => void;

/** Notes that a channel has left the chain: its steps are those of the departure from now on. */
export function depart({ departures, steps }: Tables, departed: Omit<Departure, 'hasProofs'>) {
  let number = departures.size();
  while (departures.has(`departed:${number}`)) number += 1;
  const key = `departed:${number}`;
  departures.set(key, { ...departed, hasProofs: true });
  steps.rename(departed.channel, key);
}

/** Deletes one slice; whether there was one. */
export function swept(tables: Tables, rows: number, write: Write): boolean {
  const { departures } = tables;
  const key = departures.keys().find((one) => departures.get(one)?.hasProofs === true);
  const departed = key === undefined ? undefined : departures.get(key);
  if (key === undefined || departed === undefined) return false;
  write((all) => {
    if (all.steps.cut(key, rows) < rows) all.departures.set(key, { ...departed, hasProofs: false });
  });
  return true;
}
