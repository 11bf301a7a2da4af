/** What a node's process does after a failure that ends the node: it guards the channels until none is left. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const PRELOADED = fileURLToPath(new URL('../support/uncaught.mjs', import.meta.url));
const env = { NODE_OPTIONS: `--import=${PRELOADED}` };

let world: World;
let alice: NodeProcess;
beforeAll(async () => {
  world = await startWorld();
  alice = await world.start('alice', { isHere: true });
  await world.fund(alice.address, 100n * TOKENS);
});
afterAll(() => world?.stop());

/** A new node with a channel over which alice has paid it. */
async function paidNode(name: string) {
  const node = await world.start(name, { env, isRefused: true });
  const json = {
    partner_address: node.address,
    token_address: world.token,
    total_deposit: String(10n * TOKENS),
  };
  const opening = alice.api.ask({ method: 'PUT', path: '/channels', json });
  expect((await world.whileMining(opening)).status).toBe(201);
  const path = `/payments/${world.token}/${node.address}`;
  const pay = () => alice.api.ask({ method: 'POST', path, json: { amount: String(4n * TOKENS) } });
  await until(async () => (await pay()).status === 200 || world.nudge(), `${name} is paid`);
  return node;
}

const settled = (node: NodeProcess) => {
  const path = `/channels/${world.token}/${node.address}`;
  return alice.api.ask({ method: 'PATCH', path, json: { state: 'closed' } });
};

describe.each([
  ['throws what nobody catches', 'SIGUSR2', 'thrown by the test'],
  ['rejects a promise that nobody waits for', 'SIGWINCH', 'rejected by the test'],
] as const)('a node that %s', (_, signal, text) => {
  let bob: NodeProcess;
  beforeAll(async () => {
    bob = await paidNode(`bob-${signal}`);
    bob.signal(signal);
  });

  it('says in log and /readyz that it is in safe mode, and takes no calls', async () => {
    const told = async () => JSON.stringify((await bob.api.ask({ path: '/readyz' })).body);
    const isSafe = async () => (await told()).includes('Until all channels (now 1)');
    await until(() => isSafe().catch(() => false), 'bob is in safe mode');
    expect(await told()).toContain('The node is in safe mode. It could not go on');
    expect((await bob.api.ask({ path: '/readyz' })).status).toBe(503);
    expect((await bob.api.ask({ path: '/livez' })).status).toBe(200);
    const answer = await bob.api.ask({ path: '/channels' });
    expect(answer).toMatchObject({ status: 503 });
    expect(bob.output.join('\n')).toContain(text);
    expect(bob.output.join('\n')).toContain('the node is in safe mode');
  });

  it('goes on guarding its channels when the failure happens again', async () => {
    const begun = bob.output.length;
    bob.signal(signal);
    const isAgain = () => bob.output.slice(begun).join().includes('begins again from the disk');
    await until(isAgain, 'safe mode begins again');
  });

  it('brings its proof when its partner closes, and ends with code 70 when nothing is left', async () => {
    // Alice holds no proof of bob, so her close says that she has paid nothing.
    expect((await world.whileMining(settled(bob))).status).toBe(200);
    const ending = await world.whileMining(bob.ended);
    expect(ending.code).toBe(70);
    expect(await world.tokensOf(bob.address)).toBe(4n * TOKENS);
  });
});

describe('a node in safe mode', () => {
  it('ends at the first interrupt, and protects the channel again after a start', async () => {
    const carol = await paidNode('carol');
    carol.signal('SIGUSR2');
    await until(
      () => carol.output.join().includes('the node is in safe mode'),
      'carol is in safe mode',
    );
    carol.signal('SIGTERM');
    expect((await carol.ended).code).toBe(70);
    const again = await world.start('carol');
    expect(await again.api.ask({ path: '/channels' })).toMatchObject({ status: 200 });
  });
});
