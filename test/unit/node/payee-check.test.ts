import { describe, expect, it } from 'vitest';
import { STRANGER } from '../../support/makers.ts';
import {
  clientOf,
  detailOf,
  promised,
  ROUTE,
  registryOf,
  request,
} from '../../support/pathfinding-client.ts';
import { found, info, PAYEE, refusing } from '../../support/scripted-service.ts';

describe('a path-finding service that is not registered', () => {
  const MINUTE = 60_000;
  const paid = { info: () => info(5n), paths: () => found([ROUTE, 1n]) };

  it('gets no IOU, and the node says why', async () => {
    const registry = registryOf(false);
    const { client, of } = await clientOf(paid, { registry });
    expect(detailOf(await client.find(request))).toContain(`${PAYEE}, which is not registered`);
    expect(client.asked.trouble()).toContain('not registered as a service');
    await client.find(request);
    expect(registry.asked).toBe(1);
    expect([...of('/paths'), ...of('/iou')]).toEqual([]);
  });

  it('is told to the operator at the start, and is well when it is registered', async () => {
    const registry = registryOf(false);
    const { client } = await clientOf(paid, { registry });
    await client.asked.look();
    expect(client.asked.trouble()).toContain('not registered as a service');
    registry.answer = true;
    registry.now = MINUTE;
    await client.asked.look();
    expect(client.asked.trouble()).toBeNull();
    expect(await client.find(request)).toMatchObject({ ok: true });
  });

  it('is not asked for when it takes no money', async () => {
    const registry = registryOf(false);
    const { client } = await clientOf({ paths: paid.paths }, { registry });
    expect(await client.find(request)).toMatchObject({ ok: true });
    await client.asked.look();
    expect(client.asked.trouble()).toBeNull();
    expect(registry.asked).toBe(0);
  });

  it('is looked at again after a while', async () => {
    const registry = registryOf(true);
    const { client, of } = await clientOf(paid, { registry });
    await client.find(request);
    registry.answer = false;
    await client.find(request);
    expect(registry.asked).toBe(1);
    registry.now = 10 * MINUTE;
    expect(detailOf(await client.find(request))).toContain('not registered');
    expect(promised(of('/paths')).map(([amount]) => amount)).toEqual([5n, 10n]);
  });

  it('is looked at again when it says so itself', async () => {
    const registry = registryOf(true);
    const { client } = await clientOf({ ...paid, paths: () => refusing(2205, 503) }, { registry });
    expect(detailOf(await client.find(request))).toContain('is not registered any more');
    registry.answer = false;
    expect(detailOf(await client.find(request))).toContain('which is not registered');
    expect(registry.asked).toBe(2);
  });

  it('is not paid while the chain does not answer, unless it was registered a while ago', async () => {
    const registry = registryOf(null);
    const { client } = await clientOf(paid, { registry });
    expect(detailOf(await client.find(request))).toContain('does not answer whether');
    registry.answer = true;
    registry.now = MINUTE;
    expect(await client.find(request)).toMatchObject({ ok: true });
    registry.answer = null;
    registry.now = 20 * MINUTE;
    expect(await client.find(request)).toMatchObject({ ok: true });
  });

  it('cannot change whom the node pays in the middle of a request', async () => {
    const asked: string[] = [];
    const registry = {
      ...registryOf(true),
      async isRegistered(service?: string) {
        asked.push(String(service));
        return service === PAYEE;
      },
    };
    const other = info(6n);
    Object.assign(Object(other.body), { payment_address: STRANGER });
    const { client, of } = await clientOf(
      { info: (count) => (count === 1 ? info(5n) : other), paths: () => refusing(2104) },
      { registry },
    );
    expect(detailOf(await client.find(request))).toContain(`${STRANGER}, which is not registered`);
    expect(of('/paths')).toHaveLength(1);
    expect(asked).toEqual([PAYEE, STRANGER]);
  });
});
