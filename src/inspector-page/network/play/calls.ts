/** The requests behind the buttons of a devnet's page; a shell can make them as well. */

import { unitsOf } from '../../../basics/digits.ts';
import type { PlayDeed, PlayNode } from '../../../inspector/devnet-wire.ts';
import { curlOf } from '../../../inspector/texts/curl.ts';
import { fieldOf } from '../../base/fields.ts';

/**
 * `path`: what the page calls, on the address that it was loaded from. `curl`: the same request for a shell. `done`: what has
 * happened when it is answered well, as a sentence.
 */
export type PlayedCall = {
  method: string;
  path: string;
  body: object | string | null;
  curl: string;
  done: string;
};

const DONE: Record<PlayDeed, string> = {
  stop: 'is stopped',
  kill: 'is killed',
  start: 'runs again',
  disconnect: 'is cut off from the broker',
  connect: 'is connected with the broker again',
};

/** `origin`: of the page, e.g. `http://127.0.0.1:5100`. */
export function deedCall(origin: string, name: string, deed: PlayDeed): PlayedCall {
  return siteCall(origin, `/devnet/nodes/${name}/${deed}`, `${name} ${DONE[deed]}.`);
}

export function mineCall(origin: string, blocks: string): PlayedCall {
  return siteCall(origin, `/devnet/mine/${blocks}`, `${blocks} blocks are made.`);
}

export function paceCall(origin: string, perSecond: string): PlayedCall {
  const done = perSecond === '0' ? 'Blocks come as usual.' : `${perSecond} more blocks a second.`;
  return siteCall(origin, `/devnet/pace/${perSecond}`, done);
}

export function addCall(origin: string): PlayedCall {
  return siteCall(origin, '/devnet/nodes', 'One more node runs. Draw a line to it.');
}

/** Where the devnet tells the network as a file, and takes one. */
export const SAVED = '/devnet/network';

/** `text`: of the file of that name. */
export function loadCall(origin: string, name: string, text: string): PlayedCall {
  const curl = `curl -X POST ${origin}${SAVED} -H 'content-type: application/json' -d @${name}`;
  return {
    method: 'POST',
    path: SAVED,
    body: text,
    curl,
    done: `The network of ${name} is there.`,
  };
}

function siteCall(origin: string, path: string, done: string): PlayedCall {
  return { method: 'POST', path, body: null, curl: curlOf('POST', `${origin}${path}`), done };
}

/** `amount`: in the smallest unit of the token; `written`: the same as a person reads it. */
export type Asked = {
  from: PlayNode;
  to: PlayNode;
  token: string;
  amount: bigint;
  written: string;
};

export function payCall({ from, to, token, amount, written }: Asked): PlayedCall {
  const done = `${from.name} has paid ${to.name} ${written}.`;
  return apiCall(from, done, 'POST', `payments/${token}/${to.address}`, { amount: `${amount}` });
}

export function openCall({ from, to, token, amount, written }: Asked): PlayedCall {
  const done = `${from.name} has opened a channel with ${to.name} and deposited ${written}.`;
  const body = { token_address: token, partner_address: to.address, total_deposit: `${amount}` };
  return apiCall(from, done, 'PUT', 'channels', body);
}

/** A side of a channel, with what it has deposited and taken out until now. */
export type PlayedSide = { from: PlayNode; partner: string; token: string };

export function depositCall(
  { from, partner, token }: PlayedSide,
  total: bigint,
  written: string,
): PlayedCall {
  const body = { total_deposit: `${total}` };
  const done = `${from.name} has deposited ${written}.`;
  return apiCall(from, done, 'PATCH', `channels/${token}/${partner}`, body);
}

export function withdrawCall(
  { from, partner, token }: PlayedSide,
  total: bigint,
  written: string,
): PlayedCall {
  const body = { total_withdraw: `${total}` };
  const done = `${from.name} has taken ${written} out.`;
  return apiCall(from, done, 'PATCH', `channels/${token}/${partner}`, body);
}

export function closeCall({ from, partner, token }: PlayedSide): PlayedCall {
  const done = `${from.name} has closed the channel: it is settled when the settle timeout is over.`;
  return apiCall(from, done, 'PATCH', `channels/${token}/${partner}`, { state: 'closed' });
}

/** A call of the node's API: the shell calls the node itself; the page may only call the address it was loaded from. */
function apiCall(
  { name, api }: PlayNode,
  done: string,
  method: string,
  path: string,
  body: object,
): PlayedCall {
  return {
    method,
    body,
    path: `/devnet/nodes/${name}/api/v1/${path}`,
    curl: curlOf(method, `${api}/api/v1/${path}`, body),
    done,
  };
}

const WRITTEN = /^(\d{1,60})(?:\.(\d{1,60}))?$/;

/** An amount that a person wrote in tokens (`1.5`), in the smallest unit; null: it is no amount, or too precise. */
export function unitsIn(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = WRITTEN.exec(text.trim().replaceAll(',', '')) ?? [];
  return whole === undefined ? null : unitsOf(whole, fraction, decimals);
}

const HIDDEN = /^(secret)$/;

/** An answer in JSON as lines, without a secret; null: it is no JSON. */
export function answerLines(text: string): string | null {
  try {
    const hide = (key: string, value: unknown) => (HIDDEN.test(key) ? '(hidden)' : value);
    return JSON.stringify(JSON.parse(text), hide, 2);
  } catch {
    return null;
  }
}

/** What is wrong, as the answer of a refused call says it; null: it does not. */
export function callRefusalIn(text: string): string | null {
  try {
    const errors = fieldOf(JSON.parse(text), 'errors');
    return typeof errors === 'string'
      ? errors
      : errors === undefined
        ? null
        : JSON.stringify(errors);
  } catch {
    return null;
  }
}
