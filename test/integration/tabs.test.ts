/**
 * Calls on a tab between real nodes, while the seller's program and both nodes are killed, and somebody shows each ticket again
 * and again. TAB_KILLS: how many deaths.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../src/store/base/connection.ts';
import { tabs } from '../../src/tabs/schema.ts';
import { channelClient } from '../../src/x402/client.ts';
import { withCopy } from '../support/database-copy.ts';
import { listening } from '../support/http-server.ts';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { type Program, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000_000n;
const CALLERS = 8;
const KILLS = Number(process.env['TAB_KILLS'] ?? 9);
/** Where a node dies that is not just killed at any moment. */
const POINTS = [
  ...['commit.before', 'commit.written', 'commit.after', 'reply.before'],
  ...['publish.before', 'publish.after', 'receive.before', 'receive.after'],
];
const PROOF = 'payment-signature';

let world: World;
let pair: Pair;
let ends: (() => void)[];
let upstream: string;
let paywall: Program;
let url: string;
/** How often the server behind was asked for each call. */
let served: Map<string, number>;

beforeAll(async () => {
  ends = [];
  served = new Map();
  world = await startWorld();
  pair = await startPair(world, DEPOSIT);
  await pair.open();
  upstream = await listening(({ url: path = '' }, response) => {
    served.set(path, (served.get(path) ?? 0) + 1);
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

const file = () => join(world.folder, 'tabs.db');

/** Starts bob's paywall, in one folder and at one port. */
async function open(port: number): Promise<void> {
  const options = {
    '--upstream': upstream,
    '--node': pair.nodes.bob.api.url,
    '--address': `127.0.0.1:${port}`,
    '--pay-to': pair.address.bob,
    '--decimals': `${world.token}=0`,
    '--price': `/v1/* 1 ${world.token}`,
    '--tab': `40 10000 ${world.token}`,
    '--tab-file': file(),
    '--tab-idle': '60',
    '--key-file': join(world.folder, 'paywall.key'),
  };
  paywall = startProgram(['paywall', ...Object.entries(options).flat()]);
  [, url = ''] = await paywall.says(/^ready: (\S+)$/m);
}

async function restart(victim: Name | 'paywall'): Promise<void> {
  if (victim === 'paywall') {
    paywall.signal('SIGKILL');
    await paywall.ended;
    return open(Number(new URL(url).port));
  }
  const node = pair.nodes[victim];
  if (randomInt(2) === 0) {
    node.dieAt(`${POINTS[randomInt(POINTS.length)]}:${1 + randomInt(4)}`);
    const begun = performance.now();
    await until(() => node.isOver() || performance.now() - begun > 2_000, 'it may die by itself');
    node.spare();
  }
  await node.kill();
  await pair.restart(victim);
}

/** A buyer, all that it has paid, and all that it has shown for each call. */
function buyer() {
  const shown = new Map<string, Set<string>>();
  const paid: bigint[] = [];
  const watched: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const proof = request.headers.get(PROOF);
    const { pathname, search } = new URL(request.url);
    try {
      return await fetch(input, init);
    } finally {
      const path = `${pathname}${search}`;
      if (proof !== null) shown.set(path, (shown.get(path) ?? new Set()).add(proof));
    }
  };
  const most = DEPOSIT;
  const channel = channelClient({
    ...{ node: pair.nodes.alice.api.url, asset: world.token, fetch: watched },
    ...{ most: 1n, mostPerHost: most, mostPerDay: most, mostOnTab: 160n, patienceMs: 5_000 },
    onPaid: ({ amount }) => void paid.push(amount),
  });
  const client = new x402Client().register('eip155:*', channel);
  return { channel, buy: wrapFetchWithPayment(channel.fetch, client), shown, paid };
}

/** What bob has of what was alice's, less what he has paid back. */
async function earned(): Promise<bigint> {
  return (await pair.channelOf('bob')).balance - DEPOSIT;
}

/** All tabs that there were, with whatever lies in the log beside the file. */
const tabsOnDisk = () =>
  withCopy(file(), (path) => {
    const { client, db } = connect(path);
    const rows = db.select().from(tabs).all();
    client.close();
    return rows;
  });

/** The same, when the rest of each is paid back; else none. */
function tabsAtRest() {
  const rows = tabsOnDisk();
  return rows.every(({ overAt }) => overAt !== null) ? rows : [];
}

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, one) => sum + one, 0n);

it('serves no ticket twice, and the books agree to the unit, whoever is killed however often', async () => {
  const { channel, buy, shown, paid } = buyer();
  let answered = 0;
  let isOver = false;
  async function callOn(caller: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      // The same call until it is answered: what was paid for it is used for it.
      for (let text = ''; text !== 'dry' && !isOver; )
        text = await buy(`${url}/v1/weather?${caller}-${n}`)
          .then((answer) => answer.text())
          .catch(() => '');
      answered++;
    }
  }
  async function showAgain(): Promise<void> {
    while (!isOver) {
      const [path, proofs] = [...shown].at(-1 - randomInt(Math.min(60, shown.size + 1))) ?? [];
      for (const proof of proofs ?? [])
        await fetch(`${url}${path}`, { headers: { [PROOF]: proof } })
          .then((answer) => answer.text())
          .catch(() => '');
      await new Promise(setImmediate);
    }
  }
  const working = [showAgain(), ...Array.from({ length: CALLERS }, (_, n) => callOn(n))];
  for (let kills = 0; kills < KILLS; kills++) {
    const from = answered + randomInt(60);
    await until(() => answered >= from, 'calls are answered', 60_000);
    if (kills % 4 === 3) void channel.closeTabs().catch(() => {});
    await restart((['paywall', 'bob', 'alice'] as const)[kills % 3] ?? 'paywall');
  }
  isOver = true;
  await Promise.all(working);
  await channel.closeTabs();
  // Also what lies on tabs that this buyer has given up comes back, after their idle time.
  await until(() => tabsAtRest().length > 0, 'all rests are paid back', 120_000);
  await until(pair.isQuiet, 'nothing is on its way', 60_000);
  const rows = tabsAtRest();

  for (const [path, times] of served)
    expect(times, `calls of ${path}`).toBeLessThanOrEqual(shown.get(path)?.size ?? 0);
  const charged = sumOf(rows.map((one) => one.charged));
  const alone = sumOf(paid.filter((amount) => amount === 1n));
  expect(await earned()).toBe(charged + alone);
  expect(sumOf(paid)).toBe(sumOf(rows.map(({ received }) => received)) + alone);
  const hits = sumOf([...served.values()].map(BigInt));
  expect(charged).toBeLessThanOrEqual(hits);
  expect(charged + alone).toBeGreaterThanOrEqual(BigInt(answered - 2 * CALLERS * KILLS));
  console.info(`${KILLS} deaths, ${answered} calls, ${rows.length} tabs, ${paid.length} payments`);
}, 2_400_000);
