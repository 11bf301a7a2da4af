/**
 * A penalty curve as text in one column. A curve with evenly spaced points, as nodes make them, is
 * `last/penalty,penalty,…`: at a start a hundred thousand curves are read, and a point without its balance and bigints
 * takes a tenth of the time. All other curves are `balance:penalty,…`.
 */
import { isPenaltyCurve, type PenaltyCurve } from '../../protocol/fees/fee-curve.ts';
import { curveOf, type TariffCurve } from '../../routing/tariff.ts';

export function curveText(curve: PenaltyCurve | null): string | null {
  if (curve === null) return null;
  if (!isPenaltyCurve(curve) || curveOf(curve).points !== null)
    return curve.map((point) => point.join(':')).join(',');
  const penalties = curve.map(([, penalty]) => penalty);
  return `${curve.at(-1)?.[0]}/${penalties.join(',')}`;
}

/** Reads a curve; null when the text is not a valid one. */
export function curveIn(text: string): TariffCurve | null {
  const [last, penalties] = text.split('/');
  if (last === undefined || penalties === undefined) return pointsIn(text);
  const end = BigInt(last);
  return {
    points: null,
    last: end,
    end: Number(end),
    balances: null,
    penalties: penalties.split(',').map(Number),
  };
}

function pointsIn(text: string): TariffCurve | null {
  const points = text.split(',').map((point) => {
    const [balance = '0', penalty = '0'] = point.split(':');
    return [BigInt(balance), BigInt(penalty)] as const;
  });
  return isPenaltyCurve(points) ? curveOf(points) : null;
}
