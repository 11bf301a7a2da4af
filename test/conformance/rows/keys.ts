/** Calls that are repeated under the header `Idempotency-Key`, beyond the document. */
import { expect } from 'vitest';
import type { Devnet } from '../devnet.ts';
import { type Endpoint, KEY_ENDPOINTS } from '../documented.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const source = 'decision: Beyond the contract, additive';
const PAY = 'POST /payments/{token_address}/{target_address}';
const MINT = 'POST /_testing/tokens/{token_address}/mint';
const CHANGE = 'PATCH /channels/{token_address}/{partner_address}';
/** A body that the endpoint accepts, so that nothing else is wrong with the request. */
const BODIES: Partial<Record<Endpoint, unknown>> = {
  'PUT /channels': { token_address: '{token}', partner_address: '{someone1}' },
  [CHANGE]: { total_deposit: '1000' },
  [PAY]: { amount: '1' },
  'POST /user_deposit': { total_deposit: '1' },
  'PUT /connections/{token_address}': { funds: '1' },
  [MINT]: { to: '{alice}', value: '1' },
};
const bodyOf = (endpoint: Endpoint) => (endpoint in BODIES ? { body: BODIES[endpoint] } : {});
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

/** Alice pays bob under the key. */
async function pay(devnet: Devnet, key: string, body: unknown) {
  const alice = await devnet.api('alice');
  const path = devnet.filled('/payments/{token}/{bob}');
  return alice.ask({ method: 'POST', path, json: body, ...keyed(key) });
}

const payments = async (devnet: Devnet, identifier: string) => {
  const alice = await devnet.api('alice');
  const { body } = await alice.get(`/payments?identifier=${identifier}`);
  return Array.isArray(body) ? body.length : body;
};

const everywhere = KEY_ENDPOINTS.flatMap((endpoint) =>
  at(endpoint, [
    {
      condition: 'its key is malformed',
      source,
      ...keyed('two words'),
      ...bodyOf(endpoint),
      status: 400,
      answer: form.refused,
      shows: { code: 'invalid_key', outcome: 'not_begun' },
    },
    {
      condition: 'its key is that of another call',
      source,
      given: (devnet) => pay(devnet, 'taken', { amount: '1', identifier: '7001' }),
      ...keyed('taken'),
      ...bodyOf(endpoint),
      status: 422,
      answer: form.refused,
      shows: { code: 'key_reused', outcome: 'not_begun' },
    },
  ]),
);

export const keyRows: Row[] = [
  ...everywhere,
  ...at(PAY, [
    {
      condition: 'it is repeated under its key',
      source,
      given: (devnet) => pay(devnet, 'again', { amount: '2', identifier: '7002' }),
      ...keyed('again'),
      body: { amount: '2', identifier: '7002' },
      status: 200,
      answer: form.paymentResult,
      shows: { identifier: '7002', amount: '2' },
      afterwards: async (devnet) => expect(await payments(devnet, '7002')).toBe(1),
    },
    {
      condition: 'it is repeated under its key, in quotes, and its numbers are written otherwise',
      source,
      ...keyed('"again"'),
      raw: '{ "identifier": 7002, "amount": 2 }',
      status: 200,
      answer: form.paymentResult,
      shows: { identifier: '7002', amount: '2' },
      afterwards: async (devnet) => expect(await payments(devnet, '7002')).toBe(1),
    },
    {
      condition: 'it was refused before under its key',
      source,
      given: async (devnet) => {
        const { body } = await pay(devnet, 'refused', { amount: '0' });
        expect(body).toMatchObject({ code: 'invalid_amount', outcome: 'not_begun' });
      },
      ...keyed('refused'),
      body: { amount: '1', identifier: '7003' },
      status: 200,
      answer: form.paymentResult,
    },
    {
      condition: 'the same content comes under another key',
      source,
      ...keyed('once more'.replace(' ', '-')),
      body: { amount: '2', identifier: '7002' },
      status: 200,
      answer: form.paymentResult,
      afterwards: async (devnet) => expect(await payments(devnet, '7002')).toBe(2),
    },
  ]),
  ...at(CHANGE, [
    {
      condition: 'it is repeated under its key',
      source,
      given: async (devnet) => {
        const alice = await devnet.api('alice');
        const path = devnet.filled('/channels/{token}/{bob}');
        const json = { reveal_timeout: '11' };
        await alice.ask({ method: 'PATCH', path, json, ...keyed('reveal') });
        await alice.patch(path, { reveal_timeout: '10' });
      },
      ...keyed('reveal'),
      body: { reveal_timeout: '11' },
      status: 200,
      answer: form.channel,
      // What became of the first one, which is not what the channel is like now.
      shows: { reveal_timeout: '11' },
      afterwards: async (devnet) => {
        const alice = await devnet.api('alice');
        const { body } = await alice.get(devnet.filled('/channels/{token}/{bob}'));
        expect(body).toMatchObject({ reveal_timeout: '10' });
      },
    },
  ]),
  ...at('GET /payments', [
    {
      condition: 'an identifier is given',
      source,
      query: '?identifier=7002',
      status: 200,
      answer: form.payments,
      shows: [{ identifier: '7002' }, { identifier: '7002' }],
    },
    {
      condition: 'an identifier is given that no payment has',
      source,
      query: '?identifier=18446744073709551614',
      status: 200,
      answer: form.payments,
      shows: [],
    },
    {
      condition: 'the identifier is no number',
      source,
      query: '?identifier=seven',
      status: 400,
      answer: form.wrongFields('identifier'),
    },
    {
      condition: 'the identifier is zero',
      source,
      query: '?identifier=0',
      status: 409,
      answer: form.refused,
      shows: { code: 'invalid_identifier' },
    },
  ]),
  ...at('GET /payments/{token_address}/{partner_address}', [
    {
      condition: 'an identifier and a limit are given',
      source,
      with: { partner_address: '{bob}' },
      query: '?identifier=7002&limit=1&offset=1',
      status: 200,
      answer: form.payments,
      shows: [{ identifier: '7002', amount: '2' }],
    },
    {
      condition: 'the identifier is that of a payment with somebody else',
      source,
      with: { partner_address: '{carol}' },
      query: '?identifier=7002',
      status: 200,
      answer: form.payments,
      shows: [],
    },
  ]),
];
