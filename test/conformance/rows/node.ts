/** Node information and shutdown. */
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

export const nodeRows: Row[] = [
  ...at('GET /address', [
    {
      condition: 'the node runs with the address chosen at start',
      source: 'document: Node information',
      status: 200,
      answer: form.ourAddress,
      shows: { our_address: '{alice}' },
    },
  ]),
  ...at('GET /version', [
    {
      condition: 'the node runs',
      source: 'document: Node information',
      status: 200,
      answer: form.version,
      shows: { version: '0.0.0-test' },
    },
  ]),
  ...at('GET /status', [
    {
      condition: 'the node is ready',
      source: 'document: Node information',
      status: 200,
      answer: form.status,
      shows: { status: 'ready' },
    },
    {
      condition: 'the node is catching up with the chain',
      source: 'decision: GET status, blocks_to_sync is a string, only with syncing',
      node: 'syncing',
      status: 200,
      answer: form.status,
      shows: { status: 'syncing', blocks_to_sync: expect.any(String) },
    },
    {
      condition: 'there is no connection to the chain',
      source: 'decision: GET status, unavailable',
      node: 'cutOff',
      status: 200,
      answer: form.status,
      shows: { status: 'unavailable' },
    },
  ]),
  ...at('GET /settings', [
    {
      condition: 'no path-finding service is configured',
      source: 'decision: GET settings, a URL or null',
      status: 200,
      answer: form.settings,
      shows: { pathfinding_service_address: null },
    },
    {
      condition: 'a path-finding service is configured',
      source: 'document: Node information',
      node: 'production',
      status: 200,
      answer: form.settings,
      shows: { pathfinding_service_address: 'https://pfs.example' },
    },
  ]),
  ...at('GET /contracts', [
    {
      condition: 'all contracts are configured',
      source: 'document: Contract addresses',
      status: 200,
      answer: form.contracts,
      shows: { user_deposit_address: '{userDeposit}', secret_registry_address: '{contract}' },
    },
    {
      condition: 'the contracts of services are not configured',
      source: 'decision: GET contracts, null when not configured',
      node: 'unserved',
      status: 200,
      answer: form.contracts,
      shows: {
        user_deposit_address: null,
        one_to_n_address: null,
        monitoring_service_address: null,
        service_registry_address: null,
      },
    },
  ]),
  ...at('POST /shutdown', [
    {
      condition: 'the node runs',
      source: 'document: Node information',
      node: 'shutDown',
      status: 200,
      answer: form.shutdown,
      afterwards: async ({ wasToldToStop }) => expect(wasToldToStop('shutDown')).toBe(true),
    },
    {
      condition: 'the node is still catching up with the chain',
      source: 'decision: Order of checks, not ready 503 but for status and shutdown',
      node: 'shutDownSyncing',
      status: 200,
      answer: form.shutdown,
      afterwards: async ({ wasToldToStop }) => expect(wasToldToStop('shutDownSyncing')).toBe(true),
    },
  ]),
];
