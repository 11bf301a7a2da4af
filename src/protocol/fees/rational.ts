/** Exact fractions of bigints, as few operations as the fee arithmetic needs. */

/** numerator / denominator; the denominator is above 0. Not reduced. */
export type Rational = { numerator: bigint; denominator: bigint };

export function whole(value: bigint): Rational {
  return { numerator: value, denominator: 1n };
}

/** numerator / denominator for any denominator but 0. */
export function ratio(numerator: bigint, denominator: bigint): Rational {
  if (denominator === 0n) throw new RangeError('rational: division by zero');
  if (denominator > 0n) return { numerator, denominator };
  return { numerator: -numerator, denominator: -denominator };
}

export function add(a: Rational, b: Rational): Rational {
  if (a.denominator === b.denominator) {
    return { numerator: a.numerator + b.numerator, denominator: a.denominator };
  }
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, { numerator: -b.numerator, denominator: b.denominator });
}

export function multiply(a: Rational, b: Rational): Rational {
  return {
    numerator: a.numerator * b.numerator,
    denominator: a.denominator * b.denominator,
  };
}

export function divide(a: Rational, b: Rational): Rational {
  return ratio(a.numerator * b.denominator, a.denominator * b.numerator);
}

/** -1, 0 or 1. */
export function sign({ numerator }: Rational): number {
  if (numerator === 0n) return 0;
  return numerator > 0n ? 1 : -1;
}

/** The nearest whole number; of two equally near ones the even one. */
export function roundHalfEven({ numerator, denominator }: Rational): bigint {
  // A second division takes longer than all the rest.
  const quotient = numerator / denominator;
  const rest = numerator - quotient * denominator;
  if (rest === 0n) return quotient;
  const [floor, remainder] = rest < 0n ? [quotient - 1n, rest + denominator] : [quotient, rest];
  const twice = 2n * remainder;
  if (twice === denominator) return floor % 2n === 0n ? floor : floor + 1n;
  return twice < denominator ? floor : floor + 1n;
}
