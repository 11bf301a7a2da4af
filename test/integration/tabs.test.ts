/** Calls on a tab between real nodes: paid ahead, drawn from while the seller's program is killed, and paid back. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChannelClient, channelClient } from '../../src/x402/client.ts';
import { listening } from '../support/http-server.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { type Program, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const CALLS = 200;
const KILLS = 4;

let world: World;
let pair: Pair;
let ends: (() => void)[];
let upstream: string;
let paywall: Program;
let url: string;
/** Calls that the server behind has seen. */
let served: number;

beforeAll(async () => {
  ends = [];
  served = 0;
  world = await startWorld();
  pair = await startPair(world, 100_000n);
  await pair.open();
  upstream = await listening((_, response) => {
    served++;
    response.end('dry');
  }, ends);
  await open(0);
}, 120_000);
afterAll(async () => {
  for (const end of ends) end();
  paywall?.signal('SIGKILL');
  await paywall?.ended;
  await world?.stop();
});

/** Starts bob's paywall, in one folder and at one port. */
async function open(port: number): Promise<void> {
  const options = {
    '--upstream': upstream,
    '--node': pair.nodes.bob.api.url,
    '--address': `127.0.0.1:${port}`,
    '--pay-to': pair.address.bob,
    '--decimals': `${world.token}=0`,
    '--price': `/v1/* 5 ${world.token}`,
    '--tab': `500 50000 ${world.token}`,
    '--tab-file': join(world.folder, 'tabs.db'),
    '--key-file': join(world.folder, 'paywall.key'),
  };
  paywall = startProgram(['paywall', ...Object.entries(options).flat()]);
  [, url = ''] = await paywall.says(/^ready: (\S+)$/m);
}

function buyer(): { channel: ChannelClient; buy: typeof fetch } {
  const most = 50_000n;
  const channel = channelClient({
    ...{ node: pair.nodes.alice.api.url, asset: world.token },
    ...{ most: 5n, mostPerHost: most, mostPerDay: most, mostOnTab: 5_000n },
  });
  const client = new x402Client().register('eip155:*', channel);
  return { channel, buy: wrapFetchWithPayment(channel.fetch, client) };
}

/** What bob has of what was alice's, less what he has paid back. */
async function earned(): Promise<bigint> {
  const path = `/channels/${world.token}/${pair.address.alice}`;
  const { body } = await pair.nodes.bob.api.get(path);
  return BigInt(Object(body).balance) - 100_000n;
}

it('serves no ticket twice and charges no call of which it has not seen the end, however often it is killed', async () => {
  const { channel, buy } = buyer();
  let answered = 0;
  let isOver = false;
  const calling = Array.from({ length: 8 }, async () => {
    while (answered < CALLS) {
      // A kill can cut off the text, too.
      const text = await buy(`${url}/v1/weather`)
        .then((answer) => answer.text())
        .catch(() => '');
      if (text === 'dry') answered++;
    }
  });
  const all = Promise.all(calling).finally(() => {
    isOver = true;
  });
  const { port } = new URL(url);
  for (let kills = 0; kills < KILLS && !isOver; kills++) {
    const from = answered + 20 + randomInt(10);
    await until(() => isOver || answered >= from, 'some calls are answered');
    paywall.signal('SIGKILL');
    await paywall.ended;
    await open(Number(port));
  }
  await all;
  await channel.closeTabs();
  // What is on the tab that was drawn from last, and on those that the kills have left, comes back.
  await until(() => paywall.stdout().length > 0, 'it is ready');
  await until(async () => (await earned()) <= BigInt(served) * 5n, 'the rest is paid back', 90_000);
  // Each answer was charged once at most; what a kill has cut off was served for nothing, or lost with the answer.
  expect(await earned()).toBeGreaterThanOrEqual(BigInt(answered - 8 * KILLS) * 5n);
  expect(served).toBeGreaterThanOrEqual(answered);
}, 240_000);
