/** Taking tokens out of an open channel. */
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const refused = { status: 409, answer: form.refused };
const PATCH = 'PATCH /channels/{token_address}/{partner_address}';

export const withdrawRows: Row[] = [
  ...at(PATCH, [
    {
      condition: 'tokens are withdrawn, and the partner agrees',
      source: 'document: Channels, withdraw',
      body: { total_withdraw: '100' },
      status: 200,
      answer: form.channel,
      shows: { total_withdraw: '100', total_deposit: '1000', state: 'opened' },
      afterwards: async (devnet) => {
        const api = await devnet.api('alice');
        const found = await api.get(devnet.filled('/channels/{token}/{bob}'));
        expect(found.body).toMatchObject({ total_withdraw: '100' });
      },
    },
    {
      condition: 'the same total withdraw is sent again',
      source: 'decision: PATCH channels, equal 200 without effect',
      body: { total_withdraw: '100' },
      status: 200,
      answer: form.channel,
      shows: { total_withdraw: '100' },
    },
    {
      condition: 'the total withdraw is raised, as a JSON integer',
      source: 'document: Channels, the new total withdrawn amount',
      body: { total_withdraw: 150 },
      status: 200,
      answer: form.channel,
      shows: { total_withdraw: '150' },
    },
    {
      condition: 'the total withdraw is lower than before',
      source: 'decision: PATCH channels, not above the current total 409',
      body: { total_withdraw: '99' },
      ...refused,
    },
    {
      condition: 'the total withdraw is negative',
      source: 'decision: Shape or value, negative amount 409',
      body: { total_withdraw: '-1' },
      ...refused,
    },
    {
      condition: 'the total withdraw does not fit into 256 bits',
      source: 'decision: Shape or value, amount above 2^256-1 409',
      body: { total_withdraw: '{above256}' },
      ...refused,
    },
    {
      condition: 'more is to be withdrawn than is available',
      source: 'decision: PATCH channels, above the available balance 409',
      body: { total_withdraw: '5000' },
      ...refused,
    },
    {
      condition: 'the partner is offline',
      source: 'decision: PATCH channels, withdraw, partner offline 409',
      with: { partner_address: '{absent}' },
      body: { total_withdraw: '1' },
      ...refused,
    },
    {
      condition: 'there is no money for the gas of a withdrawal',
      source: 'document: Channels, 402 insufficient gas currency',
      given: async (devnet) => {
        await devnet.giveGas('gasless', 10n ** 18n);
        await devnet.do('gasless', 'PATCH /channels/{token}/{alice}', { total_deposit: '20' });
        await devnet.giveGas('gasless', 0n);
      },
      node: 'gasless',
      with: { partner_address: '{alice}' },
      body: { total_withdraw: '1' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'the partner stays silent until the request expires',
      source: 'decision: PATCH channels, withdraw, partner silent until expiry 409',
      given: async (devnet) => devnet.mute('carol'),
      with: { partner_address: '{carol}' },
      body: { total_withdraw: '1' },
      ...refused,
      afterwards: async (devnet) => devnet.unmute('carol'),
    },
  ]),
];
