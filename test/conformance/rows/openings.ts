/** Opening a channel. */

import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const opening = (fields: Record<string, unknown> = {}) => ({
  token_address: '{token}',
  partner_address: '{someone1}',
  settle_timeout: '40',
  reveal_timeout: '10',
  ...fields,
});
const refused = { status: 409, answer: form.refused };

export const openingRows: Row[] = at('PUT /channels', [
  {
    condition: 'only the two required fields are given',
    source: 'decision: PUT channels, defaults deposit 0, settle 500, reveal 50',
    body: { token_address: '{token}', partner_address: '{someone10}' },
    status: 201,
    answer: form.channel,
    shows: {
      partner_address: '{someone10}',
      token_address: '{token}',
      state: 'opened',
      total_deposit: '0',
      balance: '0',
      total_withdraw: '0',
      settle_timeout: '500',
      reveal_timeout: '50',
    },
  },
  {
    condition: 'all five fields are given',
    source: 'document: Channels, 201 and the channel object',
    body: opening({ partner_address: '{someone11}', total_deposit: '70' }),
    status: 201,
    answer: form.channel,
    shows: {
      partner_address: '{someone11}',
      total_deposit: '70',
      balance: '70',
      total_withdraw: '0',
      settle_timeout: '40',
      reveal_timeout: '10',
      state: 'opened',
      token_network_address: '{tokenNetwork}',
    },
  },
  {
    condition: 'the reveal timeout is left out',
    source: 'document: Channels, some examples omit reveal_timeout',
    body: opening({
      partner_address: '{someone12}',
      reveal_timeout: undefined,
      settle_timeout: '100',
    }),
    status: 201,
    answer: form.channel,
    shows: { settle_timeout: '100', reveal_timeout: '50' },
  },
  {
    condition: 'the numbers are JSON integers',
    source: 'decision: Integers, a decimal string or a JSON integer',
    body: opening({
      partner_address: '{someone13}',
      total_deposit: 7,
      settle_timeout: 40,
      reveal_timeout: 10,
    }),
    status: 201,
    answer: form.channel,
    shows: { total_deposit: '7', settle_timeout: '40', reveal_timeout: '10' },
  },
  {
    condition:
      'the settle timeout is twice the reveal timeout and the least that the registry takes',
    source: 'decision: PUT channels, settle < 2 × reveal and outside the bounds are refused',
    body: opening({
      partner_address: '{someone14}',
      settle_timeout: '20',
      reveal_timeout: '10',
    }),
    status: 201,
    answer: form.channel,
    shows: { settle_timeout: '20', reveal_timeout: '10' },
  },
  {
    condition: 'the settle timeout is the largest that the registry takes',
    source: 'decision: Limits, settle timeouts up to 100,000 blocks',
    body: opening({ partner_address: '{someone15}', settle_timeout: '100000' }),
    status: 201,
    answer: form.channel,
    shows: { settle_timeout: '100000' },
  },
  {
    condition: 'the deposit is all that the limit allows',
    source: 'document: Limits, deposit per participant per channel',
    body: opening({ partner_address: '{someone16}', total_deposit: '{wholeLimit}' }),
    status: 201,
    answer: form.channel,
    shows: { total_deposit: '{wholeLimit}', balance: '{wholeLimit}' },
  },
  {
    condition: 'a channel with the partner exists',
    source: 'decision: PUT channels, 409',
    body: opening({ partner_address: '{bob}' }),
    ...refused,
  },
  {
    condition: 'a closed channel with the partner is not settled',
    source: 'decision: PUT channels, 409',
    body: opening({ partner_address: '{closed}' }),
    ...refused,
  },
  {
    condition: 'the token is not registered',
    source: 'decision: PUT channels, 409',
    body: opening({ token_address: '{third}' }),
    ...refused,
  },
  {
    condition: 'the token is the zero address',
    source: 'decision: Shape or value, zero address 409',
    body: opening({ token_address: '{zero}' }),
    ...refused,
  },
  {
    condition: 'the token is no contract',
    source: 'decision: PUT channels, 409 not registered',
    body: opening({ token_address: '{stranger}' }),
    ...refused,
  },
  {
    condition: 'the partner is the node itself',
    source: 'decision: PUT channels, 409',
    body: opening({ partner_address: '{alice}' }),
    ...refused,
  },
  {
    condition: 'the partner is the zero address',
    source: 'decision: PUT channels, 409',
    body: opening({ partner_address: '{zero}' }),
    ...refused,
  },
  {
    condition: 'the reveal timeout is below the minimum of 1',
    source: 'decision: PUT channels, 409',
    body: opening({ reveal_timeout: '0' }),
    ...refused,
  },
  {
    condition: 'the reveal timeout is below the minimum of 20 of other chains',
    source: 'decision: Limits, minimum reveal timeout 1 on development chains, 20 elsewhere',
    node: 'mainNetwork',
    body: opening({ token_address: '{mainToken}', reveal_timeout: '19' }),
    ...refused,
    shows: { errors: expect.stringMatching(/20/) },
  },
  {
    condition: 'the reveal timeout leaves no time after the one confirmation',
    source: 'decision: PUT channels, reveal < minimum 409',
    body: opening({ reveal_timeout: '9' }),
    ...refused,
    shows: { errors: expect.stringMatching(/at least 10/) },
  },
  {
    condition: 'the reveal timeout is negative',
    source: 'decision: Shape or value, timeouts out of range 409',
    body: opening({ reveal_timeout: '-1' }),
    ...refused,
  },
  {
    condition: 'the settle timeout is less than twice the reveal timeout',
    source: 'decision: PUT channels, 409',
    body: opening({ settle_timeout: '19' }),
    ...refused,
  },
  {
    condition: 'the settle timeout is less than twice the default reveal timeout',
    source: 'decision: PUT channels, 409',
    body: opening({ settle_timeout: '99', reveal_timeout: undefined }),
    ...refused,
  },
  {
    condition: 'the settle timeout is too low for the registry',
    source: 'document: Channels, 409 for example a too low settle timeout',
    body: opening({ settle_timeout: '19', reveal_timeout: '9' }),
    ...refused,
  },
  {
    condition: 'the settle timeout is too high for the registry',
    source: 'decision: PUT channels, 409 outside the bounds',
    body: opening({ settle_timeout: '100001' }),
    ...refused,
  },
  {
    condition: 'the settle timeout does not fit into 256 bits',
    source: 'decision: Shape or value, timeouts out of range 409',
    body: opening({ settle_timeout: '{above256}' }),
    ...refused,
  },
  {
    condition: 'the deposit is negative',
    source: 'decision: Shape or value, negative amount 409',
    body: opening({ total_deposit: '-1' }),
    ...refused,
  },
  {
    condition: 'the deposit does not fit into 256 bits',
    source: 'decision: Shape or value, amount above 2^256-1 409',
    body: opening({ total_deposit: '{above256}' }),
    ...refused,
  },
  {
    condition: 'the deposit is above the limit per participant',
    source: 'decision: PUT channels, 409 limit',
    body: opening({ total_deposit: '{aboveLimit}' }),
    ...refused,
  },
  {
    condition: 'the deposit is above the limit per participant of a token with a low one',
    source: 'decision: Limits, read from the contracts',
    body: opening({ token_address: '{small}', total_deposit: '101' }),
    ...refused,
  },
  {
    condition: 'the deposit takes what the whole token network may hold, up to its limit',
    source: 'document: Limits, global limit per token network',
    given: (devnet) =>
      devnet.do(
        'alice',
        'PUT /channels',
        opening({
          token_address: '{small}',
          partner_address: '{someone20}',
          total_deposit: '100',
        }),
      ),
    body: opening({
      token_address: '{small}',
      partner_address: '{someone21}',
      total_deposit: '50',
    }),
    status: 201,
    answer: form.channel,
    shows: { total_deposit: '50' },
  },
  {
    condition: 'the deposit is above the limit of the whole token network',
    source: 'document: Limits, global limit per token network',
    body: opening({ token_address: '{small}', total_deposit: '1' }),
    ...refused,
  },
  {
    condition: 'the node owns fewer tokens than the deposit',
    source: 'decision: PUT channels, 402',
    node: 'penniless',
    body: opening({ total_deposit: '1' }),
    status: 402,
    answer: form.refused,
    afterwards: async (devnet) => {
      const api = await devnet.api('penniless');
      expect(await api.get(devnet.filled('/channels/{token}/{someone1}'))).toMatchObject({
        status: 404,
      });
    },
  },
  {
    condition: 'there is no money for gas',
    source: 'document: Channels, 402',
    node: 'gasless',
    body: opening({ total_deposit: '1' }),
    status: 402,
    answer: form.refused,
  },
  {
    condition: 'there is no money for gas, and nothing is deposited',
    source: 'document: Channels, 402',
    node: 'gasless',
    body: opening(),
    status: 402,
    answer: form.refused,
  },
]);
