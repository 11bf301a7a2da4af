/** What x402 asks of a facilitator, and how a server takes a redemption back (docs/x402-scheme.md). */
import * as v from 'valibot';
import * as answers from '../shapes/x402-answers.ts';
import { proof, releaseOrder } from '../shapes/x402-requests.ts';
import { endpoint } from './endpoint.ts';

const facilitating = { tag: 'Facilitator', scope: 'receive', status: 200, refusals: [] } as const;

export const supported = endpoint({
  ...facilitating,
  method: 'GET',
  path: '/supported',
  summary: 'What can be verified and settled here',
  answer: answers.supported,
  atOnce: true,
});

export const verify = endpoint({
  ...facilitating,
  method: 'POST',
  path: '/verify',
  summary: 'Whether a proof could be redeemed now',
  description: 'Redeems nothing, and waits for nothing.',
  body: proof,
  answer: answers.verification,
});

export const settle = endpoint({
  ...facilitating,
  method: 'POST',
  path: '/settle',
  summary: 'Redeem a payment, once',
  description:
    'Waits for the end of the payment if it is under way, for 5 s at most. `extra.redemption` names what was done here, for ' +
    '`/release`.',
  body: proof,
  answer: answers.settlement,
});

export const release = endpoint({
  ...facilitating,
  method: 'POST',
  path: '/release',
  summary: 'Take a redemption back',
  description:
    'So that the buyer can ask again with the same proof, until it expires: for a server that could not serve. With ' +
    '`redemption` only that one is taken back; of a payment that is not redeemed, or anew since, nothing changes.',
  body: releaseOrder,
  answer: answers.release,
});

export const getX402OpenApi = endpoint({
  ...facilitating,
  method: 'GET',
  path: '/openapi.json',
  summary: 'This document',
  scope: 'open',
  answer: v.looseObject({ openapi: v.string() }),
  atOnce: true,
});

/** In the order of their document. */
export const X402_ENDPOINTS = { supported, verify, settle, release, getX402OpenApi };
