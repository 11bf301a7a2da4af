/** Deletes what is not needed any more in slices, as `src/store/sweep.ts` does. */
import type { Departure, Tables } from './tables.ts';

type Write = (work: (tables: Tables) => void) => void;

/** Notes that a channel has left the chain. */
export function depart({ departures }: Tables, departed: Omit<Departure, 'hasProofs'>): void {
  let number = departures.size();
  while (departures.has(`${number}`)) number += 1;
  departures.set(`${number}`, { ...departed, hasProofs: true });
}

/** Deletes one slice; whether there was one. */
export function swept(tables: Tables, rows: number, write: Write): boolean {
  const { actors, departures } = tables;
  const isDue = ({ channel, hasProofs }: Departure) => hasProofs && !actors.has(channel);
  const key = departures.keys().find((one) => {
    const departed = departures.get(one);
    return departed !== undefined && isDue(departed);
  });
  const departed = key === undefined ? undefined : departures.get(key);
  if (key === undefined || departed === undefined) return false;
  write((all) => {
    if (all.steps.cut(departed.channel, rows) < rows)
      all.departures.set(key, { ...departed, hasProofs: false });
  });
  return true;
}
