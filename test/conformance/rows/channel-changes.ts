/** The four changes of a channel. */
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';
import { beginClose, beginSettle, endAll } from '../states.ts';

const refused = { status: 409, answer: form.refused };
const CHANNEL = 'PATCH /channels/{token_address}/{partner_address}';

export const channelChangeRows: Row[] = [
  ...at(CHANNEL, [
    {
      condition: 'the total deposit is raised',
      source: 'document: Channels, increase deposit',
      with: { partner_address: '{carol}' },
      body: { total_deposit: '1100' },
      status: 200,
      answer: form.channel,
      shows: { total_deposit: '1100', balance: '1100', state: 'opened' },
    },
    {
      condition: 'the same total deposit is sent again',
      source: 'document: Channels, no further effect',
      with: { partner_address: '{carol}' },
      body: { total_deposit: '1100' },
      status: 200,
      answer: form.channel,
      shows: { total_deposit: '1100', balance: '1100' },
    },
    {
      condition: 'the total deposit is a JSON integer',
      source: 'decision: Integers, a decimal string or a JSON integer',
      with: { partner_address: '{carol}' },
      body: { total_deposit: 1101 },
      status: 200,
      answer: form.channel,
      shows: { total_deposit: '1101' },
    },
    {
      condition: 'the total deposit is lower than before',
      source: 'decision: PATCH channels, deposit lower 409',
      body: { total_deposit: '999' },
      ...refused,
    },
    {
      condition: 'the total deposit is zero',
      source: 'decision: PATCH channels, deposit lower 409',
      body: { total_deposit: '0' },
      ...refused,
    },
    {
      condition: 'the total deposit is negative',
      source: 'decision: Shape or value, negative amount 409',
      body: { total_deposit: '-1' },
      ...refused,
    },
    {
      condition: 'the total deposit does not fit into 256 bits',
      source: 'decision: Shape or value, amount above 2^256-1 409',
      body: { total_deposit: '{above256}' },
      ...refused,
    },
    {
      condition: 'the total deposit is above the limit',
      source: 'decision: PATCH channels, above limits 409',
      body: { total_deposit: '{aboveLimit}' },
      ...refused,
    },
    {
      condition: 'the deposit is above the limit of the token network',
      source: 'decision: PATCH channels, above limits 409',
      path: '/channels/{small}/{someone21}',
      body: { total_deposit: '51' },
      ...refused,
    },
    {
      condition: 'the node owns fewer tokens than the deposit',
      source: 'document: Channels, 402 insufficient balance for a deposit',
      node: 'penniless',
      with: { partner_address: '{alice}' },
      body: { total_deposit: '1' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'there is no money for the gas of a deposit',
      source: 'document: Channels, 402 insufficient gas currency',
      node: 'gasless',
      with: { partner_address: '{alice}' },
      body: { total_deposit: '1' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'there is no money for the gas of a close',
      source: 'document: Channels, 402 insufficient gas currency',
      node: 'gasless',
      with: { partner_address: '{alice}' },
      body: { state: 'closed' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'the reveal timeout is changed',
      source: 'document: Channels, update reveal timeout',
      with: { partner_address: '{absent}' },
      body: { reveal_timeout: '12' },
      status: 200,
      answer: form.channel,
      shows: { reveal_timeout: '12', settle_timeout: '40', state: 'opened' },
    },
    {
      condition: 'the reveal timeout is half the settle timeout, as a JSON integer',
      source: 'decision: PATCH channels, settle < 2 × reveal 409',
      with: { partner_address: '{absent}' },
      body: { reveal_timeout: 20 },
      status: 200,
      answer: form.channel,
      shows: { reveal_timeout: '20' },
    },
    {
      condition: 'the reveal timeout is more than half the settle timeout',
      source: 'decision: PATCH channels, settle < 2 × reveal 409',
      with: { partner_address: '{absent}' },
      body: { reveal_timeout: '21' },
      ...refused,
    },
    {
      condition: 'the reveal timeout is below the minimum',
      source: 'decision: PATCH channels, below minimum 409',
      with: { partner_address: '{absent}' },
      body: { reveal_timeout: '0' },
      ...refused,
    },
    {
      condition: 'the reveal timeout leaves no time after the one confirmation',
      source: 'decision: PATCH channels, below minimum 409',
      with: { partner_address: '{absent}' },
      body: { reveal_timeout: '9' },
      ...refused,
      shows: { errors: expect.stringMatching(/reveal_timeout must be from [0-9]+ to [0-9]+/) },
    },
    {
      condition: 'the reveal timeout is negative',
      source: 'decision: Shape or value, timeouts out of range 409',
      with: { partner_address: '{absent}' },
      body: { reveal_timeout: '-5' },
      ...refused,
    },
    {
      condition: 'no field is given',
      source: 'decision: PATCH channels, none 400',
      body: {},
      status: 400,
      answer: form.refused,
    },
    {
      condition: 'all fields are null',
      source: 'decision: PATCH channels, none 400',
      body: { state: null, total_deposit: null, total_withdraw: null, reveal_timeout: null },
      status: 400,
      answer: form.refused,
    },
    ...['opened', 'settled', 'open', ''].map((state) => ({
      condition: `the state is to become "${state}"`,
      source: 'decision: PATCH channels, state other than closed 400' as const,
      body: { state },
      status: 400,
      answer: form.wrongFields('state'),
    })),
    ...[
      { state: 'closed', total_deposit: '1200' },
      { state: 'closed', total_withdraw: '1' },
      { state: 'closed', reveal_timeout: '11' },
      { total_deposit: '1200', total_withdraw: '1' },
      { total_deposit: '1200', reveal_timeout: '11' },
      { total_withdraw: '1', reveal_timeout: '11' },
      { state: 'closed', total_deposit: '1200', total_withdraw: '1', reveal_timeout: '11' },
    ].map((body) => ({
      condition: `${Object.keys(body).join(' and ')} are given together`,
      source: 'decision: PATCH channels, several 409' as const,
      body,
      ...refused,
    })),
    ...[
      { state: 'closed' },
      { total_deposit: '100' },
      { total_withdraw: '1' },
      { reveal_timeout: '11' },
    ].flatMap((body) => [
      {
        condition: `there is no channel with the partner, for ${Object.keys(body)}`,
        source: 'decision: PATCH channels, missing channel 404' as const,
        with: { partner_address: '{stranger}' },
        body,
        status: 404,
        answer: form.refused,
      },
      {
        condition: `the channel is closed, for ${Object.keys(body)}`,
        source: 'decision: PATCH channels, not opened 409' as const,
        with: { partner_address: '{closed}' },
        body,
        ...refused,
      },
    ]),
    {
      condition: 'the token has no network',
      source: 'decision: PATCH channels, missing channel 404',
      with: { token_address: '{third}' },
      body: { state: 'closed' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the channel is to be closed',
      source: 'document: Channels, close',
      with: { partner_address: '{someone11}' },
      body: { state: 'closed' },
      status: 200,
      answer: form.channel,
      shows: { state: 'closed', partner_address: '{someone11}', total_deposit: '70' },
      afterwards: async (devnet) => {
        const api = await devnet.api('alice');
        const found = await api.get(devnet.filled('/channels/{token}/{someone11}'));
        expect(found).toMatchObject({ status: 200, body: { state: 'closed' } });
      },
    },
  ]),
  ...at('GET /channels/{token_address}/{partner_address}', [
    {
      condition: 'the channel was closed and is settled',
      source: 'decision: GET channels/{t}/{p}, 404 when there is none',
      given: (devnet) => devnet.settle('{someone11}'),
      with: { partner_address: '{someone11}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'a close is in progress',
      source: 'decision: channel object, a close in progress still reads opened',
      given: (devnet) => beginClose(devnet, '{someone13}'),
      with: { partner_address: '{someone13}' },
      isStill: true,
      status: 200,
      answer: form.channel,
      shows: { state: 'opened' },
      afterwards: endAll,
    },
    {
      condition: 'a settlement is in progress',
      source: 'decision: channel object, a settle in progress reads closed',
      given: (devnet) => beginSettle(devnet, '{someone13}'),
      with: { partner_address: '{someone13}' },
      isStill: true,
      status: 200,
      answer: form.channel,
      shows: { state: 'closed' },
    },
    {
      condition: 'nothing was heard of the partner yet',
      source: 'decision: channel object, network_state is unknown before the first sign',
      given: async (devnet) => {
        devnet.cut('alice', '{someone17}');
        const opening = { token_address: '{token}', partner_address: '{someone17}' };
        await devnet.do('alice', 'PUT /channels', opening);
      },
      with: { partner_address: '{someone17}' },
      status: 200,
      answer: form.channel,
      shows: { network_state: 'unknown' },
    },
  ]),
  ...at('PUT /channels', [
    {
      condition: 'the channel with the partner was settled',
      source: 'decision: PUT channels, a channel with this partner exists 409',
      body: { token_address: '{token}', partner_address: '{someone11}', total_deposit: '3' },
      status: 201,
      answer: form.channel,
      shows: { total_deposit: '3', balance: '3', state: 'opened' },
    },
  ]),
];
