/** Which payments of the history a person wants to see. */
import type { WalletPayment } from '../../http/wallet.ts';
import { dayOf } from '../../page-parts/clock.ts';
import { EVENT_KINDS, partnerOf, timeOf } from './csv.ts';

/** The empty text in a field lets everything through; `from` and `to` are days of the browser's zone, such as `2026-01-31`, both included. */
export type HistoryFilter = {
  kind: '' | 'sent' | 'failed' | 'received';
  token: string;
  /** A part of the partner's name or address, or of the identifier. */
  text: string;
  from: string;
  to: string;
};
export const NO_FILTER: HistoryFilter = { kind: '', token: '', text: '', from: '', to: '' };

export function matches(
  record: WalletPayment,
  { kind, token, text, from, to }: HistoryFilter,
  nameOf: (address: string) => string,
): boolean {
  if (kind !== '' && EVENT_KINDS[record.event] !== kind) return false;
  if (token !== '' && record.token_address !== token) return false;
  const day = dayOf(timeOf(record));
  if ((from !== '' && day < from) || (to !== '' && day > to)) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  const partner = partnerOf(record);
  return [partner, nameOf(partner)].some((one) => one.toLowerCase().includes(wanted))
    ? true
    : record.identifier === wanted;
}
