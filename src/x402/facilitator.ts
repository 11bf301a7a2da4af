/**
 * A node as the facilitator of its own payments. Unlike the plain client, it asks again when an answer is lost: a settle
 * that was done and not heard of would otherwise be money that buys nothing.
 */

import type { FacilitatorClient } from '@x402/core/server';
import type {
  DeepReadonly,
  PaymentPayload,
  PaymentRequirements,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from '@x402/core/types';
import { boundedText } from '../basics/bounded-text.ts';
import { messageOf } from '../basics/message-of.ts';
import { bearerOf, type ClientOptions, placeOf } from '../client/api.ts';
import { newKey } from '../client/insist.ts';
import { pause } from '../client/pause.ts';
import { X402_VERSION } from './offer.ts';

export type NodeFacilitatorOptions = Omit<ClientOptions, 'fetch'> & {
  /** Default: that of the platform. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Its API, such as http://127.0.0.1:5001. */
  node: string;
  /** Milliseconds until a question is given up, with all its repetitions; default 20 s. */
  timeoutMs?: number;
};
export type NodeFacilitator = Omit<FacilitatorClient, 'settle'> & {
  /**
   * Redeems a payment, once. `key`: says which question this is: to the same one the node answers the same; absent: it is
   * one of its own, which is told `duplicate_settlement` when the payment was redeemed for another.
   */
  settle(
    payload: DeepReadonly<PaymentPayload>,
    requirements: DeepReadonly<PaymentRequirements>,
    key?: string,
  ): Promise<SettleResponse>;
  /** Takes a redemption back: the payer was not served, and may ask again with the same proof. */
  release(
    payload: DeepReadonly<PaymentPayload>,
    requirements: DeepReadonly<PaymentRequirements>,
  ): Promise<void>;
};

const TIMEOUT_MS = 20_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_ANSWER = 100_000;
const KEY = 'idempotency-key';
/** Another try can change them. */
const PASSING = [429, 500, 502, 503, 504];

export function nodeFacilitator(options: NodeFacilitatorOptions): NodeFacilitator {
  const asking = createAsking(options);
  /** What was done for each proof: only that is taken back, not what another call with the proof has done since. */
  const redemptions = new WeakMap<object, string>();
  const told = (
    paymentPayload: DeepReadonly<PaymentPayload>,
    paymentRequirements: DeepReadonly<PaymentRequirements>,
  ) => ({
    x402Version: X402_VERSION,
    paymentPayload,
    paymentRequirements,
  });
  return {
    getSupported: () => asking('supported', null, isSupported),
    verify: (payload, demand) => asking('verify', told(payload, demand), isVerified),
    async settle(payload, demand, key) {
      const settled = await asking('settle', told(payload, demand), isSettled, key);
      const redemption = settled.extra?.['redemption'];
      if (typeof redemption === 'string') redemptions.set(payload, redemption);
      return settled;
    },
    async release(payload, demand) {
      const redemption = redemptions.get(payload);
      const order = {
        ...told(payload, demand),
        ...(redemption === undefined ? {} : { redemption }),
      };
      const { success, errorReason } = await asking('release', order, isSettled);
      if (!success) throw new Error(`the seller's node: release: ${errorReason}`);
    },
  };
}

type Is<T> = (value: unknown) => value is T;

function createAsking({
  node,
  token,
  timeoutMs = TIMEOUT_MS,
  fetch = globalThis.fetch,
}: NodeFacilitatorOptions) {
  /** Throws when the node does not answer in time, or answers something else. */
  return async <T>(path: string, body: unknown, is: Is<T>, key = newKey()): Promise<T> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = new Headers({
      'content-type': 'application/json',
      // One for each question, not for each proof: a second call with the same proof has to be refused.
      [KEY]: key,
      ...bearerOf(token),
    });
    const init: RequestInit = {
      method: body === null ? 'GET' : 'POST',
      headers,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
      // The token is for the node alone.
      redirect: 'error',
      signal,
    };
    let last = 'no answer';
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs *= 2) {
      const told = await answered(() => fetch(`${placeOf(node)}/x402/${path}`, init));
      if (is(told.value)) return told.value;
      last = told.reason;
      if (!told.isPassing) break;
      // It keeps a million keys a day. Without one, a sale of which the answer is lost is lost; otherwise all would be.
      if (codeOf(told.value) === 'too_many_keys' && headers.has(KEY)) headers.delete(KEY);
      else await pause(pauseMs, signal);
    }
    throw new Error(`the seller's node, ${node}: ${path}: ${last}`);
  };
}

type Told = { value: unknown; reason: string; isPassing: boolean };

async function answered(ask: () => Promise<Response>): Promise<Told> {
  try {
    const answer = await ask();
    const text = await boundedText(answer, LONGEST_ANSWER);
    return {
      value: parsed(text),
      reason: `${answer.status} ${text.slice(0, 200)}`,
      isPassing: PASSING.includes(answer.status),
    };
  } catch (error) {
    const reason = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    return { value: null, reason, isPassing: true };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => Object(value);

const codeOf = (value: unknown) => fieldsOf(value)['code'];

function isSupported(value: unknown): value is SupportedResponse {
  return Array.isArray(fieldsOf(value)['kinds']);
}

function isVerified(value: unknown): value is VerifyResponse {
  return typeof fieldsOf(value)['isValid'] === 'boolean';
}

function isSettled(value: unknown): value is SettleResponse {
  const { success, transaction, network } = fieldsOf(value);
  return (
    typeof success === 'boolean' && typeof transaction === 'string' && typeof network === 'string'
  );
}
