/** Times as services exchange them: UTC in ISO 8601 without a zone, up to microseconds. Protocol section 2.2. */

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?$/;

/** Whether the value is the text of a time. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && FORM.test(value) && !Number.isNaN(secondsOf(value));
}

/** Microseconds since 1970 of text for which `isTimestamp` holds: equal for two texts of one time. */
export function microsecondsOf(timestamp: string): bigint {
  const fraction = timestamp.slice(20).padEnd(6, '0');
  return BigInt(secondsOf(timestamp)) * 1_000_000n + BigInt(fraction);
}

function secondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 19)}Z`) / 1_000;
}
