/** The text ends in a line break, as files do; amounts are decimal strings. */
export function writeJson(result: unknown): string {
  return `${JSON.stringify(result, decimalAmounts, 2)}\n`;
}

/** For `JSON.stringify`: amounts become decimal strings. */
export function decimalAmounts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
