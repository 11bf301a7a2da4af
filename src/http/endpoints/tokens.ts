/** Tokens and their networks, and new tokens on test networks. */

import * as schemas from '../shapes/answers.ts';
import { mintOrder } from '../shapes/requests.ts';
import { endpoint } from './endpoint.ts';

export const getTokens = endpoint({
  method: 'GET',
  path: '/tokens',
  tag: 'Tokens',
  summary: 'All registered tokens',
  scope: 'read',
  status: 200,
  answer: schemas.tokens,
  refusals: [],
});

export const getTokenNetwork = endpoint({
  method: 'GET',
  path: '/tokens/:token',
  tag: 'Tokens',
  summary: 'The token network of a token',
  scope: 'read',
  status: 200,
  answer: schemas.tokenNetwork,
  refusals: ['unknown_token'],
});

export const registerToken = endpoint({
  method: 'PUT',
  path: '/tokens/:token',
  tag: 'Tokens',
  summary: 'Register a token',
  description: 'Deploys a token network for it. Test networks only.',
  scope: 'admin',
  status: 201,
  answer: schemas.newNetwork,
  refusals: [
    'main_network',
    'invalid_token',
    'token_registered',
    'token_network_limit',
    'insufficient_gas',
    'transaction_failed',
    'busy',
  ],
});

export const getPartners = endpoint({
  method: 'GET',
  path: '/tokens/:token/partners',
  tag: 'Tokens',
  summary: 'With whom there are channels of a token',
  description: 'Each with the path of its channel.',
  scope: 'read',
  status: 200,
  answer: schemas.partners,
  refusals: ['unknown_token'],
});

export const mint = endpoint({
  method: 'POST',
  path: '/_testing/tokens/:token/mint',
  tag: 'Testing',
  summary: 'Make tokens out of nothing',
  description:
    'Test networks only. The token must have `mint(address,uint256)`, `mintFor(uint256,address)` or ' +
    '`increaseSupply(uint256,address)`, and the node may need to be a minter.',
  scope: 'admin',
  body: mintOrder,
  status: 200,
  answer: schemas.transaction,
  refusals: ['main_network', 'mint_failed', 'insufficient_gas'],
});
