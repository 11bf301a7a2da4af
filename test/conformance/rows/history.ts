/** The history of payments. */

import * as v from 'valibot';
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const refused = { status: 409, answer: form.refused };
const kinds = (body: unknown) => v.parse(form.payments, body).map(({ event }) => event);

export const historyRows: Row[] = [
  ...at('GET /payments', [
    {
      condition: 'payments were sent and received',
      source: 'document: Payment history event record',
      status: 200,
      answer: form.payments,
      afterwards: async (_, body) => {
        const expected = ['EventPaymentSentSuccess', 'EventPaymentReceivedSuccess'];
        expect(kinds(body)).toEqual(expect.arrayContaining(expected));
      },
    },
    {
      condition: 'the oldest come first',
      source: 'decision: GET payments, oldest first',
      status: 200,
      answer: form.payments,
      afterwards: async (_, body) => {
        const times = v.parse(form.payments, body).map(({ log_time }) => log_time);
        expect(times).toEqual(times.toSorted());
        const [first, second] = v.parse(form.payments, body);
        expect([first, second]).toMatchObject([{ identifier: '1' }, { identifier: '2' }]);
      },
    },
    {
      condition: 'nothing was ever paid',
      source: 'document: Payments, an array',
      node: 'unserved',
      status: 200,
      answer: form.payments,
      shows: [],
    },
    {
      condition: 'a limit is given',
      source: 'document: Payments, limit',
      query: '?limit=1',
      status: 200,
      answer: form.payments,
      shows: [{ event: 'EventPaymentSentSuccess', identifier: '1', amount: '5', target: '{bob}' }],
    },
    {
      condition: 'an offset and a limit are given',
      source: 'decision: GET payments, filters, then offset, then limit',
      query: '?limit=1&offset=1',
      status: 200,
      answer: form.payments,
      shows: [
        { event: 'EventPaymentReceivedSuccess', identifier: '2', amount: '2', initiator: '{bob}' },
      ],
    },
    {
      condition: 'the limit is zero',
      source: 'document: Payments, maximum number of records',
      query: '?limit=0',
      status: 200,
      answer: form.payments,
      shows: [],
    },
    {
      condition: 'the offset is beyond the end',
      source: 'document: Payments, records to skip',
      query: '?offset=1000000',
      status: 200,
      answer: form.payments,
      shows: [],
    },
  ]),
  ...at('GET /payments/{token_address}', [
    {
      condition: 'the token has payments',
      source: 'document: Payments, filter the list',
      status: 200,
      answer: form.payments,
      afterwards: async (devnet, body) => {
        const tokens = v.parse(form.payments, body).map(({ token_address }) => token_address);
        expect(new Set(tokens)).toEqual(new Set([devnet.filled('{token}')]));
      },
    },
    {
      condition: 'the token has none',
      source: 'document: Payments, filter the list',
      with: { token_address: '{small}' },
      status: 200,
      answer: form.payments,
      shows: [],
    },
    {
      condition: 'the token has no network',
      source: 'decision: GET payments, 409 for a token without network',
      with: { token_address: '{third}' },
      ...refused,
    },
  ]),
  ...at('GET /payments/{token_address}/{partner_address}', [
    {
      condition: 'payments went to and came from the partner',
      source: 'decision: GET payments, {p} is the other end of the payment',
      query: '?limit=2',
      status: 200,
      answer: form.payments,
      shows: [{ target: '{bob}' }, { initiator: '{bob}' }],
    },
    {
      condition: 'the offset counts after the filter',
      source: 'decision: GET payments, filters, then offset, then limit',
      query: '?offset=1&limit=1',
      status: 200,
      answer: form.payments,
      shows: [{ initiator: '{bob}' }],
    },
    {
      condition: 'there is nothing with the partner',
      source: 'document: Payments, filter the list',
      with: { partner_address: '{stranger}' },
      status: 200,
      answer: form.payments,
      shows: [],
    },
    {
      condition: 'the partner is the node itself',
      source: 'decision: GET payments, {p} is the other end of the payment',
      with: { partner_address: '{alice}' },
      status: 200,
      answer: form.payments,
      shows: [],
    },
    {
      condition: 'the token has no network',
      source: 'decision: GET payments, 409 for a token without network',
      with: { token_address: '{third}' },
      ...refused,
    },
  ]),
  ...(
    [
      'GET /payments',
      'GET /payments/{token_address}',
      'GET /payments/{token_address}/{partner_address}',
    ] as const
  ).flatMap((endpoint) =>
    at(
      endpoint,
      ['limit', 'offset'].flatMap((name) =>
        ['-1', 'x', '1.5', '', '0x1'].map((value) => ({
          condition: `${name} is "${value}"`,
          source: 'decision: GET payments, 400 when not a non-negative integer' as const,
          query: `?${name}=${value}`,
          status: 400,
          answer: form.wrongFields(name),
        })),
      ),
    ),
  ),
];
