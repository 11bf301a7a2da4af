/** The history as a table for other programs (RFC 4180). */
import { fromUnits } from '../../basics/digits.ts';
import type { WalletPayment } from '../../http/wallet.ts';

export type CsvNames = {
  symbolOf(token: string): string;
  /** Null: not known, and the amount in tokens stays empty. */
  decimalsOf(token: string): number | null;
  nameOf(address: string): string;
};

export const CSV_HEAD = [
  ...['time_utc', 'event', 'token', 'token_symbol', 'partner', 'partner_name'],
  ...['amount', 'amount_units', 'identifier', 'reason'],
];

export function csvLine(record: WalletPayment, names: CsvNames): string {
  const { token_address: token, log_time: time } = record;
  const isFailed = record.event === 'EventPaymentSentFailed';
  const partner = partnerOf(record);
  const units = record.amount;
  const decimals = names.decimalsOf(token);
  return csvRow([
    ...[`${time}Z`, EVENT_KINDS[record.event], token, names.symbolOf(token)],
    ...[partner, names.nameOf(partner)],
    decimals === null ? '' : fromUnits(BigInt(units), decimals),
    ...[units, record.identifier, isFailed ? record.reason : ''],
  ]);
}

export const EVENT_KINDS: Record<WalletPayment['event'], 'sent' | 'failed' | 'received'> = {
  EventPaymentSentSuccess: 'sent',
  EventPaymentSentFailed: 'failed',
  EventPaymentReceivedSuccess: 'received',
};

export const partnerOf = (record: WalletPayment): string =>
  record.event === 'EventPaymentReceivedSuccess' ? record.initiator : record.target;

/** In milliseconds since 1970. */
export const timeOf = ({ log_time: time }: WalletPayment): number => Date.parse(`${time}Z`);

export const csvRow = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** Text that a spreadsheet would run as a formula gets an apostrophe: a symbol is what a token's contract says. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
