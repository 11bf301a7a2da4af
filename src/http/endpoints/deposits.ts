/** The user deposit, and joining and leaving token networks. */

import * as schemas from '../shapes/answers.ts';
import { joinOrder, userDepositOrder } from '../shapes/requests.ts';
import { endpoint } from './endpoint.ts';

export const changeUserDeposit = endpoint({
  method: 'POST',
  path: '/user_deposit',
  tag: 'User deposit',
  summary: 'Deposit, plan a withdrawal, or withdraw what was planned',
  description:
    'Exactly one of the three fields. `total_deposit` is the new total. A planned amount can be ' +
    'withdrawn from `planned_withdraw_block_number` on, which only a plan answers.',
  scope: 'admin',
  body: userDepositOrder,
  hasOneField: true,
  status: 200,
  answer: schemas.userDeposit,
  refusals: [
    'no_user_deposit',
    'invalid_amount',
    'total_not_higher',
    'above_limit',
    'above_balance',
    'above_plan',
    'too_early',
    'busy',
    'insufficient_balance',
    'insufficient_gas',
    'transaction_failed',
  ],
});

export const getConnections = endpoint({
  method: 'GET',
  path: '/connections',
  tag: 'Connections',
  summary: 'The tokens with open channels',
  scope: 'read',
  status: 200,
  answer: schemas.connections,
  refusals: [],
});

export const joinNetwork = endpoint({
  method: 'PUT',
  path: '/connections/:token',
  tag: 'Connections',
  summary: 'Join a token network',
  description:
    'Opens channels with three reachable nodes and deposits a fifth of `funds` into each; the rest ' +
    'answers the deposits of nodes that open channels with this one. Answers the opened channels.',
  scope: 'admin',
  body: joinOrder,
  status: 200,
  answer: schemas.channels,
  refusals: [
    'token_not_registered',
    'invalid_amount',
    'invalid_timeout',
    'above_limit',
    'busy',
    'insufficient_balance',
    'insufficient_gas',
    'transaction_failed',
  ],
});

export const leaveNetwork = endpoint({
  method: 'DELETE',
  path: '/connections/:token',
  tag: 'Connections',
  summary: 'Leave a token network',
  description: 'Closes all channels of the token; answers them when all are settled.',
  scope: 'admin',
  status: 200,
  answer: schemas.channels,
  refusals: ['unknown_token', 'busy', 'insufficient_gas', 'transaction_failed'],
});
