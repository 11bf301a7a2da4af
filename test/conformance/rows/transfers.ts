/** Pending transfers, the events of a channel, and notifications. */

import * as v from 'valibot';
import { expect } from 'vitest';
import { holdPayment, letPaymentGo } from '../held-payment.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';
import { noted } from '../states.ts';

const ALL = 'GET /pending_transfers';
const OF_TOKEN = 'GET /pending_transfers/{token_address}';
const OF_CHANNEL = 'GET /pending_transfers/{token_address}/{partner_address}';
const EVENTS = 'GET /events/channels/{token_address}/{partner_address}';

const sent = {
  initiator: '{alice}',
  target: '{carol}',
  role: 'initiator',
  payment_identifier: '88',
  locked_amount: '6',
  token_address: '{token}',
  token_network_address: '{tokenNetwork}',
};
const pending = { status: 200, answer: form.pendingTransfers };
const refused = { status: 409, answer: form.refused };

export const pendingRows: Row[] = [
  ...at(ALL, [
    {
      condition: 'nothing is on its way',
      source: 'document: Pending transfers, an array',
      ...pending,
      shows: [],
    },
    {
      condition: 'a payment of the node is on its way',
      source: 'document: Pending transfer record, role initiator',
      given: (devnet) => holdPayment(devnet, { target: 'carol', amount: '6', identifier: '88' }),
      ...pending,
      shows: [sent],
    },
    {
      condition: 'a payment to the node is on its way',
      source: 'document: Pending transfer record, role target',
      node: 'carol',
      ...pending,
      shows: [{ ...sent, role: 'target' }],
    },
  ]),
  ...at(OF_TOKEN, [
    {
      condition: 'a payment of the token is on its way',
      source: 'document: Pending transfers, limited to the token',
      ...pending,
      shows: [sent],
    },
    {
      condition: 'a payment of another token is on its way',
      source: 'document: Pending transfers, limited to the token',
      with: { token_address: '{small}' },
      ...pending,
      shows: [],
    },
    {
      condition: 'the token has no network',
      source: 'document: Pending transfers, 404 token not found',
      with: { token_address: '{third}' },
      status: 404,
      answer: form.refused,
    },
  ]),
  ...at(OF_CHANNEL, [
    {
      condition: 'a payment is on its way in the channel',
      source: 'document: Pending transfers, limited to the channel with the partner',
      with: { partner_address: '{carol}' },
      ...pending,
      shows: [sent],
    },
    {
      condition: 'a payment is on its way in another channel',
      source: 'document: Pending transfers, limited to the channel with the partner',
      ...pending,
      shows: [],
    },
    {
      condition: 'there is no channel with the partner',
      source: 'document: Pending transfers, 404 channel not found',
      with: { partner_address: '{stranger}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the token has no network',
      source: 'document: Pending transfers, 404 token not found',
      with: { token_address: '{third}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the payment in the channel has ended',
      source: 'document: Payment, a transfer that is not yet complete appears',
      given: letPaymentGo,
      with: { partner_address: '{carol}' },
      ...pending,
      shows: [],
    },
  ]),
];

const blocks = (body: unknown) =>
  v.parse(form.channelEvents, body).map(({ block_number }) => Number(block_number));

export const eventRows: Row[] = [
  ...at(EVENTS, [
    {
      condition: 'the channel was opened, deposited into and paid through',
      source: 'decision: GET events/channels, chain events of the channel and its payments',
      status: 200,
      answer: form.channelEvents,
      afterwards: async (_, body) => {
        const kinds = v.parse(form.channelEvents, body).map(({ event }) => event);
        expect(kinds).toEqual(
          expect.arrayContaining(['EventPaymentSentSuccess', 'EventPaymentReceivedSuccess']),
        );
        expect(kinds.length).toBeGreaterThan(4);
        expect(kinds[0]).toMatch(/Opened/);
      },
    },
    {
      condition: 'payments are among the events',
      source: 'document: Channel events, event, block_number, amount, identifier and target',
      status: 200,
      answer: form.channelEvents,
      afterwards: async (devnet, body) => {
        const found = v.parse(form.channelEvents, body);
        expect(found).toContainEqual(
          expect.objectContaining({
            event: 'EventPaymentSentSuccess',
            amount: '5',
            identifier: '1',
            target: devnet.filled('{bob}'),
          }),
        );
      },
    },
    {
      condition: 'there are several events',
      source: 'decision: GET events/channels, ascending by block',
      status: 200,
      answer: form.channelEvents,
      afterwards: async (_, body) =>
        expect(blocks(body)).toEqual(blocks(body).toSorted((a, b) => a - b)),
    },
    {
      condition: 'from_block is later than the opening',
      source: 'document: Channel events, from_block',
      with: { partner_address: '{closed}' },
      query: '?from_block=99999999',
      status: 200,
      answer: form.channelEvents,
      shows: [],
    },
    {
      condition: 'from_block is zero',
      source: 'decision: GET events/channels, from_block optional',
      query: '?from_block=0',
      status: 200,
      answer: form.channelEvents,
      afterwards: async (_, body) => expect(blocks(body).length).toBeGreaterThan(4),
    },
    {
      condition: 'from_block is the largest',
      source: 'decision: GET events/channels, 409 above 2^64-1',
      query: `?from_block=${2n ** 64n - 1n}`,
      status: 200,
      answer: form.channelEvents,
      shows: [],
    },
    {
      condition: 'the channel is closed',
      source: 'decision: GET events/channels, chain events: closed',
      with: { partner_address: '{closed}' },
      status: 200,
      answer: form.channelEvents,
      afterwards: async (_, body) => {
        const kinds = v.parse(form.channelEvents, body).map(({ event }) => event);
        expect(kinds.some((kind) => /Closed/.test(kind))).toBe(true);
      },
    },
    {
      condition: 'the channel is settled',
      source: 'decision: GET events/channels, 404 no such channel ever',
      path: '/events/channels/{token}/{someone11}',
      query: '?from_block=0',
      status: 200,
      answer: form.channelEvents,
      afterwards: async (_, body) => {
        const kinds = v.parse(form.channelEvents, body).map(({ event }) => event);
        expect(kinds.some((kind) => /Settled/.test(kind))).toBe(true);
      },
    },
    ...['x', '1.5', '', '0x10'].map((value) => ({
      condition: `from_block is "${value}"`,
      source: 'decision: GET events/channels, 400 not an integer' as const,
      query: `?from_block=${value}`,
      status: 400,
      answer: form.wrongFields('from_block'),
    })),
    {
      condition: 'from_block is negative',
      source: 'decision: GET events/channels, 409 negative',
      query: '?from_block=-1',
      ...refused,
    },
    {
      condition: 'from_block does not fit into 64 bits',
      source: 'decision: GET events/channels, 409 above 2^64-1',
      query: '?from_block={above64}',
      ...refused,
    },
    {
      condition: 'there never was a channel with the partner',
      source: 'decision: GET events/channels, 404',
      with: { partner_address: '{stranger}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'there never was such a channel, and from_block is negative',
      source: 'decision: Order of checks, the thing addressed before values',
      with: { partner_address: '{stranger}' },
      query: '?from_block=-1',
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the token has no network',
      source: 'decision: GET events/channels, 404',
      with: { token_address: '{third}' },
      status: 404,
      answer: form.refused,
    },
  ]),
];

const ids = (body: unknown) => v.parse(form.notifications, body).map(({ id }) => id);

export const notificationRows: Row[] = [
  ...at('GET /notifications', [
    {
      condition: 'the native currency does not pay for closing and settling the open channels',
      source: 'decision: GET notifications, missing_gas_reserve',
      given: (devnet) => noted(devnet, 'gasless', 'missing_gas_reserve'),
      node: 'gasless',
      status: 200,
      answer: form.notifications,
      afterwards: async (_, body) => {
        expect(ids(body)).toContain('missing_gas_reserve');
        expect(new Set(ids(body)).size).toBe(ids(body).length);
      },
    },
    {
      condition: 'the list was read just before',
      source: 'decision: GET notifications, reading empties the list',
      node: 'gasless',
      status: 200,
      answer: form.notifications,
      shows: [],
    },
    {
      condition: 'the user deposit holds less than 5.5 service tokens',
      source: 'decision: GET notifications, low_rdn',
      given: (devnet) => noted(devnet, 'penniless', 'low_rdn'),
      node: 'penniless',
      status: 200,
      answer: form.notifications,
      afterwards: async (_, body) => expect(ids(body)).toContain('low_rdn'),
    },
    {
      condition: 'a newer version is out, which mends a security problem',
      source: 'document: Notification, version_outdated and version_security_warning',
      given: (devnet) => noted(devnet, 'production', 'version_security_warning'),
      node: 'production',
      status: 200,
      answer: form.notifications,
      afterwards: async (_, body) => {
        const newer = ['version_outdated', 'version_security_warning'];
        expect(ids(body)).toEqual(expect.arrayContaining(newer));
      },
    },
  ]),
];
