/** What a traced payment passes, by the median of the times at which payments passed it. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';

/** `at`: microseconds of a clock that all processes of the machine share; `round`: of the process's event loop. */
const noted = v.object({ point: v.string(), at: v.number(), round: v.number() });
export type Noted = v.InferOutput<typeof noted>;

type Row = { where: string; at: number; rounds: number | null };
/** When a call was made, when its caller had the answer, and until when what happens is of this call. */
export type Window = { begin: number; answered: number; end: number };

export const microsecondsNow = (): number => Number(process.hrtime.bigint() / 1_000n);

export function readNoted(file: string): Noted[] {
  return v.parse(v.array(noted), JSON.parse(readFileSync(file, 'utf8')));
}

/** A point that is passed several times has a number; `rounds`: of the event loop since the first point of its process. */
function rowsOf(who: string, all: readonly Noted[], { begin, end }: Window): Row[] {
  const within = all.filter(({ at }) => at >= begin && at <= end);
  const met = new Map<string, number>();
  return within.map(({ point, at, round }) => {
    const times = (met.get(point) ?? 0) + 1;
    met.set(point, times);
    const where = `${who}: ${point}${times > 1 ? ` (${times})` : ''}`;
    return { where, at: at - begin, rounds: round - (within[0]?.round ?? round) };
  });
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The points that most payments pass, in order. */
export function traceTable(processes: ReadonlyMap<string, readonly Noted[]>, windows: Window[]) {
  const byPoint = new Map<string, Row[]>();
  for (const window of windows) {
    const rows = [...processes].flatMap(([who, all]) => rowsOf(who, all, window));
    rows.push({
      where: 'caller: has the answer',
      at: window.answered - window.begin,
      rounds: null,
    });
    for (const row of rows) byPoint.set(row.where, [...(byPoint.get(row.where) ?? []), row]);
  }
  const usual = [...byPoint]
    .filter(([, rows]) => rows.length > windows.length / 2)
    .map(([where, rows]) => ({
      where,
      'µs since the call': Math.round(median(rows.map(({ at }) => at))),
      rounds: median(rows.flatMap(({ rounds }) => rounds ?? [])),
      payments: rows.length,
    }))
    .toSorted((a, b) => a['µs since the call'] - b['µs since the call']);
  return usual.map((row, index) => ({
    where: row.where,
    'µs since the call': row['µs since the call'],
    'µs since the row before':
      row['µs since the call'] - (usual[index - 1]?.['µs since the call'] ?? 0),
    "rounds of the process's loop": Number.isNaN(row.rounds) ? null : row.rounds,
    payments: row.payments,
  }));
}
