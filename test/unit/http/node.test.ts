import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { appWith, call } from './client.ts';
import { fakeNode, OWN } from './fake-node.ts';

describe('node information', () => {
  it.each<[string, string, unknown]>([
    ['its own address', '/address', { our_address: OWN }],
    ['its version', '/version', { version: '1.2.3' }],
    ['its settings', '/settings', { pathfinding_service_address: null }],
    ['ready without blocks to sync', '/status', { status: 'ready' }],
  ])('tells %s', async (_, path, body) => {
    expect(await call(appWith(), { path })).toMatchObject({ status: 200, body });
  });

  it('lists the seven keys of the contracts, null where none is configured', async () => {
    const { body } = await call(appWith(), { path: '/contracts' });
    expect(body).toEqual({
      contracts_version: '0.40.0',
      token_network_registry_address: `0x${'4'.repeat(40)}`,
      secret_registry_address: `0x${'5'.repeat(40)}`,
      service_registry_address: null,
      user_deposit_address: null,
      monitoring_service_address: null,
      one_to_n_address: null,
    });
  });

  it('tells the blocks to sync as a string, only while syncing', async () => {
    const syncing = appWith({ status: () => ({ status: 'syncing', blocksToSync: 812n }) });
    expect((await call(syncing, { path: '/status' })).body).toEqual({
      status: 'syncing',
      blocks_to_sync: '812',
    });
    const unavailable = appWith({ status: () => ({ status: 'unavailable' }) });
    expect((await call(unavailable, { path: '/status' })).body).toEqual({ status: 'unavailable' });
  });

  it('answers HEAD as GET without a body', async () => {
    const { status, body } = await call(appWith(), { method: 'HEAD', path: '/version' });
    expect({ status, body }).toEqual({ status: 200, body: '' });
  });
});

describe('shutdown', () => {
  it('stops the node and refuses every later call, the status too', async () => {
    const node = fakeNode();
    const app = createApp({ node });
    const answer = await call(app, { method: 'POST', path: '/shutdown' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'shutdown' } });
    expect(node.asked).toEqual([['shutdown']]);
    for (const path of ['/status', '/tokens', '/nothing']) {
      const { status, body } = await call(app, { path });
      expect({ status, body }).toEqual({
        status: 503,
        body: { errors: 'The node is shutting down.', code: 'shutting_down' },
      });
    }
  });

  it('works while the node is still syncing', async () => {
    const app = appWith({ status: () => ({ status: 'syncing', blocksToSync: 1n }) });
    expect((await call(app, { method: 'POST', path: '/shutdown' })).status).toBe(200);
  });
});
