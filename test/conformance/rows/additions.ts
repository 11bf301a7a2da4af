/** What the decisions page adds to the document, as far as it is JSON. */
import * as v from 'valibot';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const source = 'decision: Beyond the contract' as const;

export const additionRows: Row[] = [
  ...at('GET /openapi.json', [
    {
      condition: 'the node runs',
      source,
      status: 200,
      answer: v.looseObject({ openapi: v.literal('3.1.0'), paths: v.looseObject({}) }),
    },
  ]),
  ...at('GET /livez', [
    { condition: 'the node runs', source, status: 200, answer: v.looseObject({}) },
    {
      condition: 'the node is catching up with the chain',
      source,
      node: 'syncing',
      status: 200,
      answer: v.looseObject({}),
    },
  ]),
  ...at('GET /readyz', [
    { condition: 'the node is ready', source, status: 200, answer: v.looseObject({}) },
    {
      condition: 'the node is catching up with the chain',
      source,
      node: 'syncing',
      status: 503,
      answer: form.refused,
    },
    {
      condition: 'there is no connection to the chain',
      source,
      node: 'cutOff',
      status: 503,
      answer: form.refused,
    },
  ]),
  ...at('GET /health', [
    { condition: 'the node runs', source, status: 200, answer: form.health },
    {
      condition: 'there is no connection to the chain',
      source,
      node: 'cutOff',
      status: 200,
      answer: form.health,
    },
  ]),
  ...at('GET /pending_channels', [
    { condition: 'no channel is being opened', source, status: 200, answer: v.tuple([]) },
    {
      condition: 'the node is catching up with the chain',
      source,
      node: 'syncing',
      status: 200,
      answer: v.tuple([]),
    },
  ]),
  ...at('GET /waiting_transactions', [
    { condition: 'nothing waits', source, status: 200, answer: v.tuple([]) },
    {
      condition: 'the node is catching up with the chain',
      source,
      node: 'syncing',
      status: 503,
      answer: form.refused,
    },
  ]),
  ...at('POST /waiting_transactions', [
    {
      condition: 'nothing waits in the channel',
      source,
      body: { token_address: '{token}', partner_address: '{bob}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'there is no channel with the partner',
      source,
      body: { token_address: '{token}', partner_address: '{stranger}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'partner_address is missing',
      source,
      body: { token_address: '{token}' },
      status: 400,
      answer: form.wrongFields('partner_address'),
    },
    {
      condition: 'its key is that of another call',
      source,
      headers: { 'idempotency-key': 'taken' },
      body: { token_address: '{token}', partner_address: '{bob}' },
      status: 422,
      answer: form.refused,
    },
  ]),
];
