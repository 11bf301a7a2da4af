/** Tokens: registered ones, their networks, partners, and a new one. */

import * as v from 'valibot';
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const addresses = v.array(form.address);
const links = v.array(form.link);

export const tokenRows: Row[] = [
  ...at('GET /tokens', [
    {
      condition: 'tokens are registered',
      source: 'document: Tokens, an array of addresses',
      status: 200,
      answer: addresses,
      shows: ['{token}', '{small}'],
    },
  ]),
  ...at('GET /tokens/{token_address}', [
    {
      condition: 'the token has a network',
      source: 'document: Tokens, a JSON string',
      status: 200,
      answer: form.address,
      shows: '{tokenNetwork}',
    },
    {
      condition: 'the token has no network',
      source: 'document: Tokens, 404',
      with: { token_address: '{second}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the address belongs to nobody',
      source: 'document: Tokens, 404',
      with: { token_address: '{stranger}' },
      status: 404,
      answer: form.refused,
    },
    {
      condition: 'the address is zero, which is in EIP-55 form',
      source: 'document: Tokens, 404',
      with: { token_address: '{zero}' },
      status: 404,
      answer: form.refused,
    },
  ]),
  ...at('GET /tokens/{token_address}/partners', [
    {
      condition: 'there are channels, in every unsettled state',
      source: 'decision: GET partners, a list of links',
      status: 200,
      answer: links,
      shows: expect.arrayContaining(
        ['bob', 'absent', 'closed'].map(() =>
          expect.objectContaining({ channel: expect.any(String) }),
        ),
      ),
      afterwards: async (devnet, body) => {
        const partners = v.parse(links, body).map(({ partner_address }) => partner_address);
        const known = ['bob', 'carol', 'absent', 'closed'].map((name) =>
          devnet.filled(`{${name}}`),
        );
        expect(partners).toEqual(expect.arrayContaining(known));
      },
    },
    {
      condition: 'the link of an entry is followed',
      source: 'decision: GET partners, following it gives the channel',
      status: 200,
      answer: links,
      afterwards: async (devnet, body) => {
        const api = await devnet.api('alice');
        for (const { partner_address, channel } of v.parse(links, body)) {
          const response = await fetch(`${api.url}${channel}`, { redirect: 'error' });
          expect(response.status).toBe(200);
          expect(v.parse(form.channel, await response.json())).toMatchObject({ partner_address });
        }
      },
    },
    {
      condition: 'the token has a network and no channels',
      source: 'document: Tokens, partners',
      with: { token_address: '{small}' },
      status: 200,
      answer: links,
      shows: [],
    },
    {
      condition: 'the token has no network',
      source: 'decision: GET partners, 404',
      with: { token_address: '{second}' },
      status: 404,
      answer: form.refused,
    },
  ]),
  ...at('PUT /tokens/{token_address}', [
    {
      condition: 'the chain is the main network',
      source: 'decision: PUT tokens, 501 on chain id 1',
      node: 'mainNetwork',
      with: { token_address: '{second}' },
      status: 501,
      answer: form.refused,
    },
    {
      condition: 'the node works in production',
      source: 'document: Tokens, 501',
      node: 'production',
      with: { token_address: '{second}' },
      status: 501,
      answer: form.refused,
    },
    {
      condition: 'the node works in production, and the token is none',
      source: 'decision: PUT tokens, 501 before everything',
      node: 'production',
      with: { token_address: '{zero}' },
      status: 501,
      answer: form.refused,
    },
    {
      condition: 'the address is zero',
      source: 'decision: PUT tokens, 409',
      with: { token_address: '{zero}' },
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'there is no code at the address',
      source: 'decision: PUT tokens, 409',
      with: { token_address: '{stranger}' },
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'the contract is no ERC-20 token',
      source: 'decision: PUT tokens, 409',
      with: { token_address: '{contract}' },
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'the token is registered',
      source: 'decision: PUT tokens, 409',
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'there is no money for gas',
      source: 'document: Tokens, 402',
      node: 'gasless',
      with: { token_address: '{second}' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'the token has no network yet',
      source: 'document: Tokens, 201',
      with: { token_address: '{second}' },
      status: 201,
      answer: form.tokenNetwork,
      afterwards: async (devnet, body) => {
        const { token_network_address } = v.parse(form.tokenNetwork, body);
        const api = await devnet.api('alice');
        const read = await api.get(devnet.filled('/tokens/{second}'));
        expect(read).toMatchObject({ status: 200, body: token_network_address });
        expect((await api.get('/tokens')).body).toContain(devnet.filled('{second}'));
      },
    },
    {
      condition: 'it is registered by the same call once more',
      source: 'decision: PUT tokens, 409 already registered',
      with: { token_address: '{second}' },
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'the maximum number of token networks is reached',
      source: 'document: Tokens, 403',
      with: { token_address: '{third}' },
      status: 403,
      answer: form.refused,
    },
    {
      condition: 'the maximum is reached, and the address is no token',
      source: 'decision: PUT tokens, 409 before 403',
      with: { token_address: '{contract}' },
      status: 409,
      answer: form.refused,
    },
    {
      condition: 'the maximum is reached, and there is no money for gas',
      source: 'decision: PUT tokens, 403 before 402',
      node: 'gasless',
      with: { token_address: '{third}' },
      status: 403,
      answer: form.refused,
    },
  ]),
];
