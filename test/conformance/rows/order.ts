/** Which of two faults counts, and URLs that are none. */
import { expect } from 'vitest';
import { NO_ENDPOINT } from '../documented.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const source = 'decision: Order of checks' as const;
const PATCH = 'PATCH /channels/{token_address}/{partner_address}';
const says = (pattern: RegExp) => ({ errors: expect.stringMatching(pattern) });

export const orderRows: Row[] = [
  ...at(NO_ENDPOINT, [
    ...['/nothing', '/tokens/', '/channels/{token}/{bob}/more', ''].map((path) => ({
      condition: `the URL is /api/v1${path}`,
      source: 'decision: Errors, 404 for unknown URLs' as const,
      path,
      status: 404,
      answer: form.refused,
    })),
    {
      condition: 'the node is shutting down and the URL unknown',
      source,
      node: 'ending',
      status: 503,
      answer: form.refused,
    },
    {
      condition: 'the node is not ready and the URL unknown',
      source,
      node: 'syncing',
      status: 404,
      answer: form.refused,
    },
  ]),
  ...at('GET /tokens', [
    {
      condition: 'the node is not ready and the method wrong',
      source,
      node: 'syncing',
      method: 'POST',
      status: 405,
      answer: form.refused,
    },
    {
      condition: 'a query is given that nobody knows',
      source: 'document: Tokens, request none',
      query: '?page=2',
      status: 200,
      answer: form.anything,
    },
  ]),
  ...at('GET /tokens/{token_address}', [
    {
      condition: 'the address and the method are wrong',
      source,
      method: 'PATCH',
      with: { token_address: 'x' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the node is not ready and the address wrong',
      source,
      node: 'syncing',
      with: { token_address: 'x' },
      status: 404,
      answer: form.refused,
    },
  ]),
  ...at('PUT /channels', [
    {
      condition: 'the node is not ready and the body no JSON',
      source,
      node: 'syncing',
      raw: '{',
      status: 503,
      answer: form.refused,
    },
    {
      condition: 'the body is too large and not sent as JSON',
      source,
      raw: '0'.repeat(70_000),
      headers: { 'content-type': 'text/plain' },
      status: 413,
      answer: form.refused,
    },
    {
      condition: 'the body is not sent as JSON and is none',
      source,
      raw: '{',
      headers: { 'content-type': 'text/plain' },
      status: 415,
      answer: form.refused,
    },
    {
      condition: 'one field has the wrong shape, and another a value that cannot be taken',
      source,
      body: { token_address: '{token}', partner_address: '{zero}', total_deposit: 'x' },
      status: 400,
      answer: form.wrongFields('total_deposit'),
    },
    {
      condition: 'two fields have the wrong shape',
      source: 'decision: Errors, an object from field to strings',
      body: { token_address: 5, partner_address: '{bob}', settle_timeout: 'x' },
      status: 400,
      answer: form.wrongFields('token_address', 'settle_timeout'),
    },
    {
      condition: 'the deposit is above the limit and above the own tokens',
      source,
      node: 'penniless',
      body: {
        token_address: '{token}',
        partner_address: '{someone1}',
        total_deposit: '{aboveLimit}',
      },
      status: 409,
      answer: form.refused,
    },
  ]),
  ...at(PATCH, [
    {
      condition: 'two fields are given, one of the wrong shape',
      source,
      body: { state: 'closed', total_deposit: 'x' },
      status: 400,
      answer: form.wrongFields('total_deposit'),
    },
    {
      condition: 'two fields are given, and there is no such channel',
      source,
      with: { partner_address: '{stranger}' },
      body: { state: 'closed', total_deposit: '1' },
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'there is no such channel, and the value cannot be taken',
      source,
      with: { partner_address: '{stranger}' },
      body: { total_deposit: '-1' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the channel is closed, and the value cannot be taken',
      source,
      with: { partner_address: '{closed}' },
      body: { total_deposit: '-1' },
      status: 409,
      answer: form.refused,
      shows: says(/not open/),
    },
    {
      condition: 'the deposit is above the limit and above the own tokens',
      source,
      node: 'penniless',
      with: { partner_address: '{alice}' },
      body: { total_deposit: '{aboveLimit}' },
      status: 409,
      answer: form.refused,
    },
  ]),
  ...at('POST /payments/{token_address}/{target_address}', [
    {
      condition: 'the amount has the wrong shape, and the token no network',
      source,
      with: { token_address: '{third}' },
      body: { amount: 'x' },
      status: 400,
      answer: form.wrongFields('amount'),
    },
    {
      condition: 'the amount is too much for the channel, and the identifier zero',
      source,
      body: { amount: '100000', identifier: '0' },
      status: 409,
      answer: form.refused,
    },
  ]),
  ...at('GET /payments', [
    {
      condition: 'a query is given that nobody knows',
      source: 'decision: Shape or value, unknown field 400',
      query: '?page=2',
      status: 400,
      answer: form.wrongFields('page'),
    },
  ]),
];
