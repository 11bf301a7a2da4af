/**
 * The penalties of evenly spaced curves, as nodes make them, in one row of memory by edge: a search that follows a
 * tariff to its curve, and the curve to its list, waits for memory at each step.
 */
import { curvePlace, type TariffCurve } from './tariff.ts';

/** Places for each edge; no node of this program makes a curve of more points. */
const ROOM = 21;
const NOT_KEPT = -1;

/** `penalties`: `ROOM` places for each edge. */
export type EvenCurves = { penalties: Float64Array };

export function createEvenCurves(edges: number): EvenCurves {
  return { penalties: new Float64Array(ROOM * edges) };
}

/** Makes room for so many edges. */
export function growCurves(curves: EvenCurves, edges: number): void {
  const penalties = new Float64Array(ROOM * edges);
  penalties.set(curves.penalties);
  curves.penalties = penalties;
}

/** Keeps the curve of this edge. Answers its steps: 0 without a curve, `NOT_KEPT` for one that does not fit. */
export function keepCurve(
  { penalties }: EvenCurves,
  edge: number,
  curve: TariffCurve | null,
): number {
  if (curve === null) return 0;
  const points = curve.penalties.length;
  if (curve.balances !== null || points < 2 || points > ROOM) return NOT_KEPT;
  penalties.set(curve.penalties, ROOM * edge);
  return points - 1;
}

/** What `roughPenalty` says of the curve that is kept for the edge, with so many steps up to the balance `end`. */
export function keptPenalty(
  { penalties }: EvenCurves,
  edge: number,
  { steps, end, balance }: { steps: number; end: number; balance: number },
): number {
  const place = curvePlace(end, steps, balance);
  if (Number.isNaN(place)) return place;
  const at = Math.min(Math.floor(place), steps - 1);
  const low = penalties[ROOM * edge + at] ?? 0;
  const high = penalties[ROOM * edge + at + 1] ?? 0;
  return low + (high - low) * (place - at);
}
