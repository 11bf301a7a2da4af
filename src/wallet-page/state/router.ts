/** The place in the page's address after `#`: `#/pay`, or `#/pay/LINK` with a payment link to begin with. */

import { unescaped } from '../../page-parts/unescaped.ts';

export const VIEWS = [
  'balances',
  'pay',
  'ask',
  'channels',
  'history',
  'messages',
  'services',
] as const;
export type View = (typeof VIEWS)[number];
/** `rest`: what stands behind the view; the empty text: nothing. */
export type WalletPlace = { view: View; rest: string };

export const TITLES: Record<View, string> = {
  balances: 'Balances',
  pay: 'Pay',
  ask: 'Ask for a payment',
  channels: 'Channels',
  history: 'History',
  messages: 'Messages',
  services: 'User deposit',
};

export function walletPlaceOf(hash: string): WalletPlace {
  const [, name = '', ...rest] = hash.replace(/^#/, '').split('/');
  const view = VIEWS.find((one) => one === name) ?? 'balances';
  return { view, rest: unescaped(rest.join('/')) };
}

export const viewHash = (view: View, rest = ''): string =>
  rest === '' ? `#/${view}` : `#/${view}/${encodeURIComponent(rest)}`;
