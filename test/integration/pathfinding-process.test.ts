import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectNats } from '../../src/partner/nats.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { anvilAccount, clientsFor } from '../support/chain.ts';
import {
  CAPACITY,
  clientOf,
  openBetween,
  PARTNER,
  PAYER,
  presentAs,
  signerOf,
} from '../support/pathfinding.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

let world: World;
let places: Transport[];

/** `sluice pathfinding`, which has none of the options that are for nodes only. */
async function start(): Promise<NodeProcess> {
  const options = {
    'default-settle-timeout': null,
    'default-reveal-timeout': null,
    'api-concurrency': null,
    'min-free-disk': null,
  };
  return world.start('finder', { command: 'pathfinding', options });
}

function urlOf(service: NodeProcess): string {
  const line = service.output.find((said) => said.startsWith('ready: '));
  return line?.slice('ready: '.length) ?? '';
}

function ask(service: NodeProcess, value: bigint) {
  const request = { from: signerOf(PAYER).address, to: signerOf(PARTNER).address, value };
  return clientOf(urlOf(service)).paths(world.tokenNetwork, request);
}

beforeAll(async () => {
  world = await startWorld();
  places = [PAYER, PARTNER].map((account) =>
    presentAs(
      connectNats({
        url: world.natsUrl,
        chainId: world.chain.chainId,
        tokenNetworkRegistry: world.contracts.tokenNetworkRegistryAddress,
        address: signerOf(account).address,
        sign: signerOf(account).sign,
        recover,
      }),
      signerOf(account),
    ),
  );
  await until(() => places.every((place) => place.isConnected()), 'both are on the broker');
});
afterAll(async () => {
  for (const place of places) await place.close();
  await world.stop();
});

describe('sluice pathfinding', () => {
  it('says whether it lives, whether it is ready, and what it does', async () => {
    const service = await start();
    const get = async (path: string) => {
      const response = await fetch(`${urlOf(service)}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/livez')).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect(await get('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
    expect((await get('/api/v1/info')).status).toBe(200);
    const { text } = await get('/metrics');
    expect(text).toMatch(/^pcn_pathfinding_token_networks 1$/m);
    expect(text).toMatch(/^pcn_pathfinding_answers_total\{status="200"\} 1$/m);
    await service.stop();
  });

  it('knows after kill -9 what it knew before, and stops when it is told to', async () => {
    const first = await start();
    const { anvil, chain } = world;
    await openBetween(world, clientsFor(anvil.rpc, chain, anvilAccount(PAYER)), places);
    const isKnown = async () => {
      await world.nudge();
      return (await ask(first, CAPACITY)).code === null;
    };
    await until(isKnown, 'the channel is known');
    await first.kill();

    const second = await start();
    const path = [PAYER, PARTNER].map((account) => signerOf(account).address);
    expect((await ask(second, CAPACITY)).paths).toEqual([{ path, fee: 0n }]);
    expect((await ask(second, CAPACITY + 1n)).code).toBe(2201);
    await second.stop();
    expect((await second.ended).code).toBe(0);
  });
});
