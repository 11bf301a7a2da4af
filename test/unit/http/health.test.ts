import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { fakeNode } from './fake-node.ts';

function ask(path: string, changes: Partial<NodeApi> = {}, headers: Record<string, string> = {}) {
  const tokens = [{ token: 'x'.repeat(16), scope: 'admin', cap: null, budget: null } as const];
  return createApp({ node: fakeNode(changes), options: { tokens } }).request(path, { headers });
}

const SYNCING = { status: () => ({ status: 'syncing' as const, blocksToSync: 9n }) };
const reason = 'The newest block is 12 minutes old.';
const STALE = { status: () => ({ status: 'unavailable' as const, reason }) };
const CUT_OFF = { status: () => ({ status: 'unavailable' as const }) };

describe.each(['', '/api/v1'])('at %j, without a token', (base) => {
  it.each<[string, string, Partial<NodeApi>, number]>([
    ['alive when it is ready', '/livez', {}, 200],
    ['alive while it syncs', '/livez', SYNCING, 200],
    ['not alive when it is broken', '/livez', { isBroken: () => true }, 503],
    ['ready', '/readyz', {}, 200],
    ['not ready while it syncs', '/readyz', SYNCING, 503],
    ['not ready without the chain', '/readyz', CUT_OFF, 503],
    ['not ready when it sees the chain as it was', '/readyz', STALE, 503],
    ['not ready when it is broken', '/readyz', { isBroken: () => true }, 503],
  ])('the node is %s', async (_, path, changes, status) => {
    const response = await ask(base + path, changes);
    expect(response.status).toBe(status);
  });

  it('says why it is not ready', async () => {
    expect(await (await ask(`${base}/readyz`, SYNCING)).json()).toEqual({
      errors: 'The node is catching up with the chain.',
      code: 'syncing',
    });
    expect(await (await ask(`${base}/readyz`, CUT_OFF)).json()).toEqual({
      errors: 'The chain cannot be relied on at this moment.',
      code: 'chain_unavailable',
    });
    expect(await (await ask(`${base}/readyz`, STALE)).json()).toEqual({
      errors: 'The chain cannot be relied on at this moment. The newest block is 12 minutes old.',
      code: 'chain_unavailable',
    });
  });

  it('tells nothing to a foreign host name or page', async () => {
    for (const headers of [{ host: 'evil.com' }, { origin: 'https://evil.com' }]) {
      expect((await ask(`${base}/livez`, {}, headers)).status).toBe(403);
    }
  });
});
