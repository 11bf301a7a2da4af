/** Connections: summary, join, leave. */

import * as v from 'valibot';
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';
import { makePeers, openWithAlice, passSettleTimeout } from '../states.ts';

const refused = { status: 409, answer: form.refused };
const PUT = 'PUT /connections/{token_address}';
const DELETE = 'DELETE /connections/{token_address}';
/** Bob and carol are in it, too. */
const SECOND = { token_address: '{second}' };

export const connectionRows: Row[] = [
  ...at('GET /connections', [
    {
      condition: 'tokens have open channels',
      source: 'document: Connection summary',
      status: 200,
      answer: form.connections,
      afterwards: async (devnet, body) => {
        const channels = (await (await devnet.api('alice')).channels()).filter(
          ({ state, token_address }) =>
            state === 'opened' && token_address === devnet.filled('{token}'),
        );
        const sum = channels.reduce((total, { total_deposit }) => total + total_deposit, 0n);
        expect(Object(body)[devnet.filled('{token}')]).toEqual({
          sum_deposits: String(sum),
          channels: String(channels.length),
        });
      },
    },
    {
      condition: 'there are no channels',
      source: 'document: Connection summary',
      node: 'unserved',
      status: 200,
      answer: form.connections,
      shows: {},
    },
  ]),
  ...at(PUT, [
    {
      condition: 'the token has no network',
      source: 'decision: PUT connections, 409 not registered',
      with: { token_address: '{third}' },
      body: { funds: '100' },
      ...refused,
    },
    {
      condition: 'the token is the zero address',
      source: 'decision: PUT connections, 409 not registered',
      with: { token_address: '{zero}' },
      body: { funds: '100' },
      ...refused,
    },
    ...['0', '-1', '{above256}'].map((funds) => ({
      condition: `funds is ${funds}`,
      source: 'decision: PUT connections, 409 funds not positive' as const,
      body: { funds },
      ...refused,
    })),
    {
      condition: 'the node owns fewer tokens than the funds',
      source: 'decision: PUT connections, 402 own tokens below funds',
      node: 'penniless',
      body: { funds: '100' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'nobody else is in the token network',
      source: 'decision: PUT connections, fewer when there are fewer',
      node: 'bob',
      with: SECOND,
      body: { funds: '5' },
      status: 200,
      answer: form.channels,
      shows: [],
    },
    {
      condition: 'there is no money for gas',
      source: 'decision: PUT connections, 402 gas',
      given: (devnet) => makePeers(devnet, '{second}'),
      node: 'gasless',
      with: SECOND,
      body: { funds: '100' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'three peers of the token network are there',
      source: 'document: Connections, channels with three random peers, 20% of the funds each',
      with: SECOND,
      body: { funds: '1000' },
      status: 200,
      answer: form.channels,
      afterwards: async (devnet, body) => {
        const opened = v.parse(form.channels, body);
        const partners = new Set(opened.map(({ partner_address }) => partner_address));
        expect(partners.size).toBe(3);
        for (const channel of opened)
          expect(channel).toMatchObject({
            state: 'opened',
            total_deposit: '200',
            token_address: devnet.filled('{second}'),
          });
        const summary = await (await devnet.api('alice')).get('/connections');
        expect(Object(summary.body)[devnet.filled('{second}')]).toEqual({
          sum_deposits: '600',
          channels: '3',
        });
      },
    },
  ]),
  ...at('GET /channels/{token_address}/{partner_address}', [
    {
      condition: 'somebody else opened the channel after the node has joined',
      source: 'decision: PUT connections, later channels get a matching deposit out of the rest',
      given: (devnet) => openWithAlice(devnet, '{second}'),
      with: { ...SECOND, partner_address: '{gasless}' },
      status: 200,
      answer: form.channel,
      shows: { total_deposit: '50', state: 'opened' },
    },
  ]),
  ...at(DELETE, [
    {
      condition: 'the token has no network',
      source: 'decision: DELETE connections, 404 for a token without network',
      with: { token_address: '{third}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the node has no channels of the token',
      source: 'decision: DELETE connections, [] when there are none',
      node: 'unserved',
      with: SECOND,
      status: 200,
      answer: form.channels,
      shows: [],
    },
    {
      condition: 'the node has channels of the token',
      source: 'document: Connections, closes and settles all channels of the token',
      with: SECOND,
      meanwhile: (devnet) => passSettleTimeout(devnet, '{second}'),
      status: 200,
      answer: form.channels,
      afterwards: async (devnet, body) => {
        const left = v.parse(form.channels, body);
        expect(left.length).toBeGreaterThanOrEqual(3);
        for (const { state } of left) expect(state).toBe('closed');
        const api = await devnet.api('alice');
        expect((await api.get(devnet.filled('/channels/{second}'))).body).toEqual([]);
        const summary = v.parse(form.connections, (await api.get('/connections')).body);
        expect(Object.keys(summary)).not.toContain(devnet.filled('{second}'));
      },
    },
    {
      condition: 'the same call comes once more',
      source: 'decision: DELETE connections, [] when there are none',
      with: SECOND,
      status: 200,
      answer: form.channels,
      shows: [],
    },
    {
      condition: 'a null body comes along',
      source: 'decision: Shape or value, a null body is harmless',
      with: SECOND,
      raw: 'null',
      status: 200,
      answer: form.channels,
      shows: [],
    },
  ]),
];
