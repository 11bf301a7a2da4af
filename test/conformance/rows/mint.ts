/** Tokens out of nothing, on test networks. */
import { expect } from 'vitest';
import type { Devnet } from '../devnet.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';
import { deployMintable, tokensOf } from '../states.ts';

const MINT = 'POST /_testing/tokens/{token_address}/mint';
const order = (fields: Record<string, unknown> = {}) => ({
  to: '{someone50}',
  value: '7',
  ...fields,
});

export const mintRows: Row[] = [
  ...at(MINT, [
    {
      condition: 'the token can be minted',
      source: 'document: Testing, 200',
      body: order(),
      status: 200,
      answer: form.transaction,
      afterwards: async (devnet) =>
        expect(await tokensOf(devnet, '{token}', '{someone50}')).toBe(7n),
    },
    {
      condition: 'the value is a JSON integer, and the token has no network',
      source: 'decision: Integers, a decimal string or a JSON integer',
      with: { token_address: '{third}' },
      body: order({ value: 8 }),
      status: 200,
      answer: form.transaction,
      afterwards: async (devnet) =>
        expect(await tokensOf(devnet, '{third}', '{someone50}')).toBe(8n),
    },
    ...['Mint', 'MintFor', 'IncreaseSupply'].map((name) => ({
      condition: `the minting method of the token is ${name} only`,
      source: 'decision: mint, tries the three documented signatures' as const,
      given: deployMintable,
      with: { token_address: `{${name}Token}` },
      body: order({ to: '{someone51}', value: '9' }),
      status: 200,
      answer: form.transaction,
      afterwards: async (devnet: Devnet) =>
        expect(await tokensOf(devnet, `{${name}Token}`, '{someone51}')).toBe(9n),
    })),
    ...['0', '-1', '{above256}'].map((value) => ({
      condition: `value is ${value}`,
      source: 'decision: mint, 400 for value outside 1..2^256-1' as const,
      body: order({ value }),
      status: 400,
      answer: form.wrongFields('value'),
    })),
    {
      condition: 'the receiver is the zero address',
      source: 'decision: mint, 400 for a bad to',
      body: order({ to: '{zero}' }),
      status: 400,
      answer: form.wrongFields('to'),
    },
    {
      condition: 'the supply would not fit into 256 bits',
      source: 'document: Testing, 400 generic failure',
      body: order({ value: String(2n ** 256n - 1n) }),
      status: 400,
      answer: form.refused,
    },
    {
      condition: 'the contract has no minting method',
      source: 'document: Testing, 400 generic failure',
      with: { token_address: '{contract}' },
      body: order(),
      status: 400,
      answer: form.refused,
    },
    {
      condition: 'there is no contract at the address',
      source: 'decision: mint, 400 for a failed mint',
      with: { token_address: '{stranger}' },
      body: order(),
      status: 400,
      answer: form.refused,
    },
    {
      condition: 'the chain is the main network',
      source: 'decision: mint, 501 on the main network',
      node: 'mainNetwork',
      body: order(),
      status: 501,
      answer: form.refused,
    },
    {
      condition: 'the node works in production',
      source: 'decision: mint, 501 on the main network',
      node: 'production',
      body: order(),
      status: 501,
      answer: form.refused,
    },
  ]),
];
