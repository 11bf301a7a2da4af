/** The requests behind the buttons of a devnet's page; a shell can make them as well. */

import { unitsOf } from '../../../basics/digits.ts';
import type { PlayDeed, PlayNode } from '../../../inspector/devnet-wire.ts';
import { curlOf } from '../../../inspector/texts/curl.ts';

/** `path`: what the page calls, on the address that it was loaded from. `curl`: the same request for a shell. */
export type Call = { method: string; path: string; body: object | null; curl: string };

/** `origin`: of the page, e.g. `http://127.0.0.1:5100`. */
export function deedCall(origin: string, name: string, deed: PlayDeed): Call {
  return siteCall(origin, `/devnet/nodes/${name}/${deed}`);
}

export function mineCall(origin: string, blocks: string): Call {
  return siteCall(origin, `/devnet/mine/${blocks}`);
}

function siteCall(origin: string, path: string): Call {
  return { method: 'POST', path, body: null, curl: curlOf('POST', `${origin}${path}`) };
}

type Pay = { from: PlayNode; token: string; target: string; amount: bigint };

export function payCall({ from, token, target, amount }: Pay): Call {
  return apiCall(from, 'POST', `payments/${token}/${target}`, { amount: `${amount}` });
}

type Open = { from: PlayNode; token: string; partner: string; deposit: bigint };

export function openCall({ from, token, partner, deposit }: Open): Call {
  return apiCall(from, 'PUT', 'channels', {
    token_address: token,
    partner_address: partner,
    total_deposit: `${deposit}`,
  });
}

export function closeCall(from: PlayNode, token: string, partner: string): Call {
  return apiCall(from, 'PATCH', `channels/${token}/${partner}`, { state: 'closed' });
}

/** A call of the node's API: the shell calls the node itself; the page may only call the address it was loaded from. */
function apiCall({ name, api }: PlayNode, method: string, path: string, body: object): Call {
  return {
    method,
    body,
    path: `/devnet/nodes/${name}/api/v1/${path}`,
    curl: curlOf(method, `${api}/api/v1/${path}`, body),
  };
}

const WRITTEN = /^(\d{1,60})(?:\.(\d{1,60}))?$/;

/** An amount that a person wrote in tokens (`1.5`), in the smallest unit; null: it is no amount, or too precise. */
export function unitsIn(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = WRITTEN.exec(text.trim().replaceAll(',', '')) ?? [];
  return whole === undefined ? null : unitsOf(whole, fraction, decimals);
}
