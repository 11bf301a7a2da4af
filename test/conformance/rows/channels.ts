/** Channels: list, and look at one. */

import * as v from 'valibot';
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

export const channelRows: Row[] = [
  ...at('GET /channels', [
    {
      condition: 'there are channels, opened and closed',
      source: 'document: Channels, all unsettled channels',
      status: 200,
      answer: form.channels,
      afterwards: async (devnet, body) => {
        const states = v.parse(form.channels, body).map(({ partner_address, state }) => ({
          partner_address,
          state,
        }));
        const of = (name: string) => devnet.filled(`{${name}}`);
        expect(states).toContainEqual({ partner_address: of('bob'), state: 'opened' });
        expect(states).toContainEqual({ partner_address: of('closed'), state: 'closed' });
      },
    },
    {
      condition: 'there are none',
      source: 'document: Channels, an array',
      node: 'unserved',
      status: 200,
      answer: form.channels,
      shows: [],
    },
  ]),
  ...at('GET /channels/{token_address}', [
    {
      condition: 'the token has channels',
      source: 'document: Channels, for that token',
      status: 200,
      answer: form.channels,
      afterwards: async (devnet, body) => {
        const tokens = v.parse(form.channels, body).map(({ token_address }) => token_address);
        expect(new Set(tokens)).toEqual(new Set([devnet.filled('{token}')]));
      },
    },
    {
      condition: 'the token has a network and no channels',
      source: 'decision: GET channels, [] for a token without channels',
      node: 'bob',
      with: { token_address: '{small}' },
      status: 200,
      answer: form.channels,
      shows: [],
    },
    {
      condition: 'the token has no network',
      source: 'decision: GET channels, [] for a token without channels',
      with: { token_address: '{third}' },
      status: 200,
      answer: form.channels,
      shows: [],
    },
  ]),
  ...at('GET /channels/{token_address}/{partner_address}', [
    {
      condition: 'the channel is open',
      source: 'document: Channel object',
      status: 200,
      answer: form.channel,
      shows: {
        token_network_address: '{tokenNetwork}',
        partner_address: '{bob}',
        token_address: '{token}',
        total_deposit: '1000',
        total_withdraw: '0',
        state: 'opened',
        settle_timeout: '40',
        reveal_timeout: '10',
      },
    },
    {
      condition: 'payments were made and received',
      source: 'decision: channel object, balance = deposit - withdrawn - sent + received - locked',
      status: 200,
      answer: form.channel,
      shows: { balance: '997' },
    },
    {
      condition: 'the channel is closed',
      source: 'document: Channel, state',
      with: { partner_address: '{closed}' },
      status: 200,
      answer: form.channel,
      shows: { state: 'closed', settle_timeout: '100000' },
    },
    {
      condition: 'the partner is there',
      source: 'decision: channel object, network_state is live',
      status: 200,
      answer: form.channel,
      shows: { network_state: 'reachable' },
    },
    {
      condition: 'the partner is not there',
      source: 'decision: channel object, network_state is live',
      with: { partner_address: '{absent}' },
      status: 200,
      answer: form.channel,
      shows: { network_state: 'unreachable' },
    },
    {
      condition: 'the identifier is asked for',
      source: 'decision: channel object, channel_identifier is a decimal string',
      status: 200,
      answer: form.channel,
      shows: { channel_identifier: expect.stringMatching(/^[1-9]\d*$/) },
    },
    {
      condition: 'there is no channel with the partner',
      source: 'decision: GET channels/{t}/{p}, 404',
      with: { partner_address: '{stranger}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'there is no channel of this token',
      source: 'decision: GET channels/{t}/{p}, 404',
      with: { token_address: '{small}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the token has no network',
      source: 'decision: GET channels/{t}/{p}, 404',
      with: { token_address: '{third}' },
      status: 404,
      answer: form.refused,
    },
  ]),
];
