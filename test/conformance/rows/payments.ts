/** A new payment. */

import { expect } from 'vitest';
import type { Devnet } from '../devnet.ts';
import { holdPayment, joinPayment, letPaymentGo } from '../held-payment.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const PAY = 'POST /payments/{token_address}/{target_address}';
const ROUTE = { route: ['{alice}', '{bob}'], address_metadata: {} };
const METADATA = { user_id: '@bob:server', capabilities: 'mxc://', displayname: 'bob' };
const refused = { status: 409, answer: form.refused };
const SECRET = `0x${'1a'.repeat(32)}`;

const pays = (fields: Record<string, unknown> = {}) => ({ amount: '1', ...fields });

async function hasFailure(devnet: Devnet, target: string): Promise<void> {
  const [last] = (await (await devnet.api('alice')).history()).slice(-1);
  const reason = expect.stringMatching(/\S/);
  expect(last).toMatchObject({
    event: 'EventPaymentSentFailed',
    target: devnet.filled(target),
    reason,
  });
}

export const paymentRows: Row[] = at(PAY, [
  {
    condition: 'the partner is the target',
    source: 'document: Payment result',
    body: pays({ amount: '3', identifier: '10' }),
    status: 200,
    answer: form.paymentResult,
    shows: {
      initiator_address: '{alice}',
      target_address: '{bob}',
      token_address: '{token}',
      amount: '3',
      identifier: '10',
    },
    afterwards: async (devnet) => {
      const [last] = (await (await devnet.api('alice')).history()).slice(-1);
      expect(last).toMatchObject({ event: 'EventPaymentSentSuccess', identifier: 10n });
    },
  },
  {
    condition: 'no identifier is given',
    source: 'document: Payments, identifier is not required',
    body: pays(),
    status: 200,
    answer: form.paymentResult,
    shows: { identifier: expect.stringMatching(/^[1-9]\d*$/) },
  },
  {
    condition: 'the identifier is a JSON integer above 2^53',
    source: 'decision: Integers, at full precision',
    raw: '{"amount":"1","identifier":9007199254740993}',
    status: 200,
    answer: form.paymentResult,
    shows: { identifier: '9007199254740993' },
  },
  {
    condition: 'the identifier is the largest',
    source: 'decision: Shape or value, identifier above 2^64-1 409',
    body: pays({ identifier: String(2n ** 64n - 1n) }),
    status: 200,
    answer: form.paymentResult,
    shows: { identifier: String(2n ** 64n - 1n) },
  },
  {
    condition: 'an identifier of an earlier payment is used again',
    source: 'decision: POST payments, 409 only while in flight',
    body: pays({ amount: '2', identifier: '10' }),
    status: 200,
    answer: form.paymentResult,
    shows: { identifier: '10', amount: '2' },
  },
  {
    condition: 'a secret is given',
    source: 'document: Payments, secret instead of a random one',
    body: pays({ secret: SECRET }),
    status: 200,
    answer: form.paymentResult,
    shows: { secret: SECRET, secret_hash: '{hashOfSecret}' },
  },
  {
    condition: 'a secret and its hash are given',
    source: 'document: Payments, secret_hash works only with secret',
    body: pays({ secret: '{otherSecret}', secret_hash: '{hashOfOtherSecret}' }),
    status: 200,
    answer: form.paymentResult,
    shows: { secret: '{otherSecret}', secret_hash: '{hashOfOtherSecret}' },
  },
  {
    condition: 'a lock timeout above the reveal timeout is given',
    source: 'document: Payments, lock_timeout',
    body: pays({ lock_timeout: '14' }),
    status: 200,
    answer: form.paymentResult,
  },
  {
    condition: 'paths lead to the target',
    source: 'document: Route metadata',
    body: pays({
      paths: [{ route: ['{alice}', '{bob}'], address_metadata: { '{bob}': METADATA } }],
    }),
    status: 200,
    answer: form.paymentResult,
  },
  {
    condition: 'the path leads over a mediator',
    source: 'document: Limits, mediation fees',
    node: 'bob',
    path: '/payments/{token}/{carol}',
    body: pays({ paths: [{ ...ROUTE, route: ['{bob}', '{alice}', '{carol}'] }] }),
    status: 200,
    answer: form.paymentResult,
    shows: { initiator_address: '{bob}', target_address: '{carol}', amount: '1' },
  },
  {
    condition: 'paths are called path',
    source: 'decision: POST payments, path is accepted with the same content',
    body: pays({ path: [ROUTE] }),
    status: 200,
    answer: form.paymentResult,
  },
  {
    condition: 'path is a JSON string',
    source: 'decision: POST payments, also as a JSON string',
    body: pays({ path: JSON.stringify([ROUTE]) }),
    status: 200,
    answer: form.paymentResult,
  },
  {
    condition: 'every field that may be left out is null',
    source: 'document: Payments, fields that are not required',
    body: pays({
      identifier: null,
      lock_timeout: null,
      secret: null,
      secret_hash: null,
      paths: null,
      path: null,
    }),
    status: 200,
    answer: form.paymentResult,
  },
  {
    condition: 'no own channel can carry the amount although one exists',
    source: 'document: Payments, 402 insufficient balance to start',
    node: 'carol',
    with: { target_address: '{alice}' },
    body: pays({ amount: '1000' }),
    status: 402,
    answer: form.refused,
  },
  {
    condition: 'the own side of the only channel is empty',
    source: 'decision: POST payments, 402',
    node: 'penniless',
    with: { target_address: '{alice}' },
    body: pays(),
    status: 402,
    answer: form.refused,
  },
  ...[
    ['the amount is zero', { amount: '0' }],
    ['the amount is negative', { amount: '-1' }],
    ['the amount does not fit into 256 bits', { amount: '{above256}' }],
    ['the identifier is zero', { identifier: '0' }],
    ['the identifier is negative', { identifier: -1 }],
    ['the identifier does not fit into 64 bits', { identifier: '{above64}' }],
    ['the lock timeout is zero', { lock_timeout: '0' }],
    ['the lock timeout is negative', { lock_timeout: '-1' }],
    ['the lock timeout does not fit into 256 bits', { lock_timeout: '{above256}' }],
  ].map(([condition = '', fields]) => ({
    condition: String(condition),
    source: 'decision: Shape or value, 409' as const,
    body: pays(Object(fields)),
    ...refused,
  })),
  ...[
    ['there is a hash and no secret', { secret_hash: '{zeroHash}' }],
    ['the hash is not that of the secret', { secret: '{freshSecret}', secret_hash: '{zeroHash}' }],
    ['the secret was used by a payment', { secret: '{usedSecret}' }],
    ['the secret is registered on chain', { secret: '{knownSecret}' }],
    ['path and paths are both given', { path: [ROUTE], paths: [ROUTE] }],
  ].map(([condition = '', fields]) => ({
    condition: String(condition),
    source: 'decision: POST payments, 409' as const,
    body: pays(Object(fields)),
    ...refused,
  })),
  {
    condition: 'the target is the node itself, over a path that leads back',
    source: 'decision: POST payments, 409' as const,
    path: '/payments/{token}/{alice}',
    body: pays({ paths: [{ ...ROUTE, route: ['{alice}', '{bob}', '{carol}', '{alice}'] }] }),
    ...refused,
  },
  ...[
    ['the target is the node itself', '{token}/{alice}'],
    ['the target is the zero address', '{token}/{zero}'],
    ['the token is not registered', '{third}/{bob}'],
    ['the token is the zero address', '{zero}/{bob}'],
  ].map(([condition = '', to]) => ({
    condition,
    source: 'document: Payments, 409 invalid address' as const,
    path: `/payments/${to}`,
    body: pays(),
    ...refused,
  })),
  ...[
    ['there is no path to the target', '{stranger}', {}],
    ['the target is a partner that is offline', '{absent}', {}],
    ['the channel with the target is closed', '{closed}', {}],
    [
      'the given path leads elsewhere',
      '{bob}',
      { paths: [{ ...ROUTE, route: ['{alice}', '{carol}'] }] },
    ],
    [
      'the given path goes over a stranger',
      '{bob}',
      { paths: [{ ...ROUTE, route: ['{alice}', '{stranger}', '{bob}'] }] },
    ],
    [
      'the given path comes twice to a node',
      '{bob}',
      { paths: [{ ...ROUTE, route: ['{alice}', '{bob}', '{alice}', '{bob}'] }] },
    ],
    [
      'the fee of the given path is above 20 % of the amount',
      '{carol}',
      { amount: '100', paths: [{ ...ROUTE, route: ['{alice}', '{bob}', '{carol}'], fee: '21' }] },
    ],
    ['there is no path in the given list', '{bob}', { paths: [] }],
    ['the lock timeout is not above the reveal timeout', '{bob}', { lock_timeout: '10' }],
    ['the lock timeout is above the settle timeout', '{bob}', { lock_timeout: '41' }],
  ].map(([condition, target, fields]) => ({
    condition: String(condition),
    source: 'document: Payments, 409, and recorded as failed' as const,
    with: { target_address: String(target) },
    body: pays(Object(fields)),
    ...refused,
    afterwards: (devnet: Devnet) => hasFailure(devnet, String(target)),
  })),
  {
    condition: 'the token has a network and the node no channel of it',
    source: 'decision: POST payments, 409 no channel',
    node: 'bob',
    path: '/payments/{small}/{alice}',
    body: pays(),
    ...refused,
  },
  {
    condition: 'the identifier is in flight to the target with another amount',
    source: 'document: Payments, 409 identifier already used for a different payment',
    given: (devnet) => holdPayment(devnet, { target: 'carol', amount: '4', identifier: '77' }),
    with: { target_address: '{carol}' },
    body: pays({ amount: '5', identifier: '77' }),
    ...refused,
  },
  {
    condition: 'the same payment is in flight',
    source: 'decision: POST payments, both calls get the one result',
    meanwhile: joinPayment,
    with: { target_address: '{carol}' },
    body: pays({ amount: '4', identifier: '77' }),
    status: 200,
    answer: form.paymentResult,
    shows: { amount: '4', identifier: '77' },
    afterwards: letPaymentGo,
  },
  {
    condition: 'the target stays silent until the lock expires',
    source: 'decision: POST payments, 409 lock expired',
    isStill: false,
    given: async (devnet) => devnet.mute('carol'),
    with: { target_address: '{carol}' },
    body: pays({ lock_timeout: '11' }),
    ...refused,
    afterwards: async (devnet) => {
      devnet.unmute('carol');
      await hasFailure(devnet, '{carol}');
    },
  },
]).map((row) => ({ isStill: true, ...row }));
