/** The model server of the documentation, sold by its use between real nodes: whatever ends, the books agree to the unit. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { channelClient } from '../../src/x402/client.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { type Program, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 100_000n;
const EXAMPLE = fileURLToPath(new URL('../../docs/examples/model-server.mjs', import.meta.url));

let world: World;
let pair: Pair;
let model: ChildProcess;
let paywall: Program;
let url: string;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, DEPOSIT);
  await pair.open();
  model = spawn(process.execPath, [EXAMPLE, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (model.stdout === null) throw new Error('it has an output');
  const [line] = await once(model.stdout, 'data');
  const [, upstream = ''] = /^ready: (\S+)/.exec(String(line)) ?? [];
  const options = Object.entries({
    '--upstream': upstream,
    '--node': pair.nodes.bob.api.url,
    '--pay-to': pair.address.bob,
    '--decimals': `${world.token}=0`,
    '--tab': `500 50000 ${world.token}`,
    '--tab-file': join(world.folder, 'tabs.db'),
    '--key-file': join(world.folder, 'paywall.key'),
  });
  const byToken = `POST /v1/chat/completions 2 per token up to 200 ${world.token}`;
  const byEvent = `POST /v1/events 5 per event up to 20 ${world.token}`;
  paywall = startProgram(['paywall', ...options.flat(), '--price', byToken, '--price', byEvent]);
  [, url = ''] = await paywall.says(/^ready: (\S+)$/m);
}, 120_000);
afterAll(async () => {
  model?.kill();
  paywall?.signal('SIGKILL');
  await paywall?.ended;
  await world?.stop();
});

async function balanceOf(name: 'alice' | 'bob', partner: 'alice' | 'bob'): Promise<bigint> {
  const path = `/channels/${world.token}/${pair.address[partner]}`;
  const { body } = await pair.nodes[name].api.get(path);
  return BigInt(Object(body).balance);
}

it('is sold by token and by event on a tab that fills its cap and is paid back', async () => {
  const paid: bigint[] = [];
  const channel = channelClient({
    ...{ node: pair.nodes.alice.api.url, asset: world.token },
    ...{ most: 200n, mostPerHost: DEPOSIT, mostPerDay: DEPOSIT, mostOnTab: 900n },
    onPaid: ({ amount }) => void paid.push(amount),
  });
  let charged = 0n;
  /** What is streamed, without what the paywall says of its price, and that. */
  async function ask(path: string, words: number): Promise<{ data: string[]; said: object }> {
    const content = Array.from({ length: words }, (_, at) => `word${at}`).join(' ');
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content }] });
    const answer = await channel.fetch(`${url}${path}`, { method: 'POST', body });
    expect(answer.status).toBe(200);
    const [streamed = '', payment = '{}'] = (await answer.text()).split('event: payment\ndata: ');
    const said = JSON.parse(payment);
    charged += BigInt(said.charged);
    return { data: streamed.match(/^data: .*$/gm) ?? [], said };
  }
  // 20 words in and out are 40 tokens.
  for (let call = 0; call < 12; call++) {
    const { data, said } = await ask('/v1/chat/completions', 20);
    expect([data.length, data.at(-1)]).toEqual([22, 'data: [DONE]']);
    expect(said).toMatchObject({ charged: '80' });
  }
  const cut = await ask('/v1/events', 30);
  expect(cut.said).toMatchObject({ charged: '20', reason: 'most reached' });
  expect(cut.data).toHaveLength(4);
  expect(charged).toBe(12n * 80n + 20n);
  // The second payment has no room for twice the first.
  expect(paid[0]).toBe(500n);
  expect(paid[1]).toBeLessThan(900n);
  const sum = paid.reduce((one, other) => one + other, 0n);
  expect(await channel.closeTabs()).toBe(sum - charged);
  const isPaidBack = async () => (await balanceOf('alice', 'bob')) === DEPOSIT - charged;
  await until(isPaidBack, 'the rest is paid back');
  expect(await balanceOf('bob', 'alice')).toBe(DEPOSIT + charged);
}, 120_000);
