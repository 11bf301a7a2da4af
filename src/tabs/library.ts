/**
 * Tabs for programs that sell with the packages of x402, `sluice/tabs`: money that buyers have paid ahead, in a database. It
 * is an entry of its own, since who buys needs no database.
 */
import type { PaymentOption } from '@x402/core/http';
import type { Log } from '../basics/environment.ts';
import { parseAddress } from '../basics/hex.ts';
import { nodeFacilitator } from '../x402/facilitator.ts';
import { SCHEME } from '../x402/offer.ts';
import { type Asset, tabOption } from '../x402/price.ts';
import type { ServerTabs } from '../x402/tab-server.ts';
import { openSellerTabs, termsOf } from './seller-tabs.ts';

export type OpenTabsOptions = {
  /** The database, made when there is none. It belongs to one process. */
  file: string;
  /** The API of the seller's node, such as http://127.0.0.1:5001, which pays the rests back. */
  node: string;
  /** Of that API, with the scopes `receive`, `pay` and `read`. */
  token?: string;
  /** The chain and the address of the node, as for `channelPrice`. */
  network: PaymentOption['network'];
  payTo: string;
  asset: Asset;
  /** What one payment for a tab is at least, and what may lie on one, in whole tokens. */
  least: string;
  most: string;
  /** After how many seconds without a call the rest of a tab is paid back; default an hour. */
  idleSeconds?: number;
  /** Is told of rests; default: what goes wrong is said on the console. */
  log?: Log;
  fetch?: typeof fetch;
};
export type OpenedTabs = ServerTabs & {
  /** For `accepts` of a route: what `channelPrice` has made of its price, and a tab beside it. */
  accepts(option: PaymentOption): PaymentOption[];
  /** How many tabs are open, and what lies on them, in the token's smallest unit. */
  figures(): { count: number; held: bigint };
  /** Ends the calls' writing, and lets another process have the database. */
  stop(): Promise<void>;
};

const IDLE_SECONDS = 3_600;

/** Give it to `channelServer` as `tabs`. Throws with what a person can do. */
export function openTabs(options: OpenTabsOptions): OpenedTabs {
  const { node, asset, least, most, network, file } = options;
  const { idleSeconds = IDLE_SECONDS, log = CONSOLE } = options;
  const [token, payTo] = [asset.address, options.payTo].map(parseAddress);
  if (!token || !payTo) throw new Error('asset.address and payTo have to be addresses');
  const terms = termsOf(least, most, asset.decimals);
  if (terms === null) throw new Error(`no tab has from ${least} to ${most} of the token ${token}`);
  const ofApi = options.token === undefined ? {} : { token: options.token };
  const ofFetch = options.fetch === undefined ? {} : { fetch: options.fetch };
  const facilitator = nodeFacilitator({ node, ...ofApi, ...ofFetch });
  const tabs = openSellerTabs({
    ...{ file, node, token: options.token ?? null, facilitator, log, idleSeconds, ...ofFetch },
    ...{ terms: new Map([[token, terms]]), seller: { address: payTo, network } },
  });
  return {
    begin: tabs.begin,
    hasRoom: tabs.hasRoom,
    accepts(option) {
      const isOwn =
        option.scheme === SCHEME &&
        option.network === network &&
        typeof option.payTo === 'string' &&
        parseAddress(option.payTo) === payTo;
      if (!isOwn) throw new Error('a tab is for prices of channelPrice that are paid to its node');
      return [option, tabOption(option, { ...terms, idleSeconds, token }, asset)];
    },
    async open(proof, demand, charge) {
      const settled = await tabs.redeem(facilitator.settle, proof, demand);
      if (!settled.success) return { ok: false, reason: settled.errorReason ?? 'not_settled' };
      return tabs.open({ proof, demand, settled }, charge);
    },
    figures() {
      const { count, held } = tabs.figures();
      return { count, held: held.get(token) ?? 0n };
    },
    stop: tabs.stop,
  };
}

const said = (fields: Record<string, unknown>, text: string) => console.warn(text, fields);
const CONSOLE: Log = { info() {}, warn: said, error: said };
