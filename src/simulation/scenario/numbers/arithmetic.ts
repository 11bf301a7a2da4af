/**
 * Logarithm and exponential out of + - * / alone. IEEE 754 fixes the bits of these four (and of the square
 * root), but not those of Math.log, Math.exp and Math.pow: with them a seed could draw other numbers on
 * another machine, and no run could be replayed there. Right to about 15 digits.
 */

/** By definition these are the nearest doubles. */
const { LN2, SQRT2 } = Math;
/** Terms of the series below: enough for 16 digits in the range where they are used. */
const TERMS = 20;
const LARGEST = 700;

/** Natural logarithm of a finite number above 0. */
export function ln(x: number): number {
  if (!(x > 0 && x < Number.POSITIVE_INFINITY)) throw new RangeError(`ln: no logarithm of ${x}`);
  let mantissa = x;
  let twos = 0;
  // Halving and doubling are exact.
  for (; mantissa >= SQRT2; mantissa /= 2) twos += 1;
  for (; mantissa < SQRT2 / 2; mantissa *= 2) twos -= 1;
  const z = (mantissa - 1) / (mantissa + 1);
  const square = z * z;
  let sum = 0;
  for (let n = 2 * TERMS - 1; n > 0; n -= 2) sum = sum * square + 1 / n;
  return twos * LN2 + 2 * z * sum;
}

/** e^x; x beyond ±700 counts as ±700. */
export function exp(x: number): number {
  const within = Math.max(-LARGEST, Math.min(LARGEST, x));
  const twos = Math.floor(within / LN2 + 0.5);
  const rest = within - twos * LN2;
  let sum = 1;
  for (let n = TERMS; n > 0; n--) sum = 1 + (rest / n) * sum;
  for (let n = 0; n < twos; n++) sum *= 2;
  for (let n = 0; n > twos; n--) sum /= 2;
  return sum;
}

/** x^y, for x above 0. */
export function power(x: number, y: number): number {
  return exp(y * ln(x));
}
