/** Values of a context as text: amounts in tokens, other numbers exact; hidden secrets are named as such. */
import { groupDigits } from '../../../basics/digits.ts';
import { amountText } from '../../../page-parts/labels.ts';

/** Longer texts are cut in the middle; the title shows all of them. */
const LONGEST_TEXT = 26;

export function showBlock(block: bigint): string {
  return `#${block}`;
}

/** Names of fields whose value is a block height, an amount of tokens, or a name in digits. */
const HEIGHT = /(^block|Block|[eE]xpiration|Horizon)$/;
const AMOUNT =
  /(^|\.)(amount|deposit|withdrawn|transferred|locked|funded|balance|free|share|funds|added|fee|own|partner)$|(Amount|Deposit|Withdraw|Balance|Tokens)$/;
const IDENTIFIER = /(Id|[iI]dentifier)$/;

/** Whether the field is an amount of its actor's token. */
export const isAmount = (value: unknown, name: string): value is bigint =>
  typeof value === 'bigint' && AMOUNT.test(name) && !HEIGHT.test(name);

/**
 * A value on one line; lists and objects as their size. `name`: of the field, which tells heights and amounts from other
 * numbers. `token`: of the amounts.
 */
export function showValue(value: unknown, name = '', token: string | null = null): string {
  switch (typeof value) {
    case 'bigint':
      if (HEIGHT.test(name)) return showBlock(value);
      if (IDENTIFIER.test(name)) return `${value}`;
      return isAmount(value, name) ? amountText(value, token) : groupDigits(value);
    case 'number':
      return Number.isInteger(value) ? groupDigits(value) : String(value);
    case 'string':
      return value === '' ? '""' : shorten(value);
    case 'object':
      return showObject(value);
    default:
      return value === undefined ? 'nothing' : String(value);
  }
}

/** A value without a cut. */
export function showWhole(value: unknown, name = ''): string {
  return typeof value === 'string' && value !== '' ? value : showValue(value, name);
}

/** The kind of secret that was hidden in place of this value, or null. */
export function redactionOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('$redacted' in value)) return null;
  return String(value.$redacted);
}

export function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && redactionOf(value) === null;
}

function showObject(value: object | null): string {
  if (value === null) return 'null';
  const redaction = redactionOf(value);
  if (redaction !== null) return `‹${redaction}, hidden›`;
  const size = Object.entries(value).length;
  if (Array.isArray(value)) return size === 0 ? '[]' : `[${size}]`;
  return size === 0 ? '{}' : `{${size}}`;
}

function shorten(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return text.startsWith('0x')
    ? `${text.slice(0, 10)}…${text.slice(-6)}`
    : `${text.slice(0, LONGEST_TEXT - 1)}…`;
}
