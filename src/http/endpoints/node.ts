/** Node information, the document of the API, notifications, shutdown. */
import * as v from 'valibot';
import * as schemas from '../shapes/answers.ts';
import { endpoint } from './endpoint.ts';

const information = { method: 'GET', tag: 'Node', scope: 'read', status: 200 } as const;

export const getAddress = endpoint({
  ...information,
  path: '/address',
  summary: 'The address of this node',
  answer: schemas.ownAddress,
  refusals: [],
});

export const getVersion = endpoint({
  ...information,
  path: '/version',
  summary: 'The version of the program',
  answer: schemas.version,
  refusals: [],
});

export const getStatus = endpoint({
  ...information,
  path: '/status',
  summary: 'Whether the node is ready',
  description:
    '`syncing`: the node is catching up with the chain; `blocks_to_sync` says how far it is. ' +
    '`unavailable`: there is no connection to the chain, or what is known of it is out of date; every ' +
    'refused call, and `/readyz`, says why.',
  answer: schemas.status,
  refusals: [],
  atOnce: true,
});

export const getSettings = endpoint({
  ...information,
  path: '/settings',
  summary: 'Settings of the node',
  answer: schemas.settings,
  refusals: [],
});

export const getContracts = endpoint({
  ...information,
  path: '/contracts',
  summary: 'The contracts that the node uses',
  description: 'Null where a contract is not configured.',
  answer: schemas.contracts,
  refusals: [],
});

export const getNotifications = endpoint({
  ...information,
  path: '/notifications',
  summary: 'What the user should know',
  description: 'Reading empties the list.',
  answer: schemas.notifications,
  refusals: [],
});

export const getHealth = endpoint({
  ...information,
  path: '/health',
  summary: 'What the node keeps, and what of it is not so',
  description:
    'One row for each check, the same that `/readyz`, metrics and notifications go by. `bad` has a summary and a body ' +
    'that says what to do; `unknown` could not be found out. `stops_calls`: the node takes no calls because of it.',
  answer: schemas.health,
  refusals: [],
  atOnce: true,
});

export const shutDown = endpoint({
  method: 'POST',
  path: '/shutdown',
  tag: 'Node',
  summary: 'End the node',
  scope: 'admin',
  status: 200,
  answer: schemas.shutdown,
  refusals: [],
  atOnce: true,
});

export const getOpenApi = endpoint({
  ...information,
  path: '/openapi.json',
  summary: 'This document',
  scope: 'open',
  answer: v.looseObject({ openapi: v.string() }),
  refusals: [],
  atOnce: true,
});
