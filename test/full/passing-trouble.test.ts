/** Trouble that goes by: a node lives through it, and so does its guard. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { until } from '../support/until.ts';

/** The endpoint is there for so long, then away. */
const PHASE_MS = 400;
const PRELOADED = fileURLToPath(new URL('../support/uncaught.mjs', import.meta.url));

let world: World;
let proxy: RpcProxy;
let alice: NodeProcess;
let bob: NodeProcess;
beforeAll(async () => {
  world = await startWorld();
  proxy = await startRpcProxy(world.anvil.rpc);
  alice = await world.start('alice', { isHere: true });
  await world.fund(alice.address, 100n * TOKENS);
  const env = { NODE_OPTIONS: `--import=${PRELOADED}` };
  bob = await world.start('bob', { env, options: { 'eth-rpc-endpoint': proxy.rpc } });
  const opening = alice.api.put('/channels', {
    partner_address: bob.address,
    token_address: world.token,
    total_deposit: String(10n * TOKENS),
  });
  expect((await world.whileMining(opening)).status).toBe(201);
  await until(async () => (await isPaid()) || world.nudge(), 'bob is paid');
});
afterAll(async () => {
  await world?.stop();
  await proxy?.stop();
});

const isPaid = async () => {
  const json = { amount: String(TOKENS) };
  return (await alice.api.post(`/payments/${world.token}/${bob.address}`, json)).status === 200;
};

describe('a node', () => {
  it('lives on while its endpoint comes and goes', async () => {
    const begun = performance.now();
    const phase = () => Math.floor((performance.now() - begun) / PHASE_MS);
    onTestFinished(() => proxy.setRule(null));
    proxy.setRule(async (_, forward) => (phase() % 2 === 1 ? 'cut the line' : forward()));
    await until(async () => phase() > 20 || world.nudge(), 'the endpoint was away ten times');
    proxy.setRule(null);
    await world.whileMining(until(isPaid, 'bob is paid'));
    expect(bob.isOver()).toBe(false);
    expect(bob.output.join('\n')).not.toContain('the node is in safe mode');
  });

  it('warns of an outage once, and tells when it is over', async () => {
    onTestFinished(() => proxy.setRule(null));
    const begun = bob.output.length;
    const said = (text: RegExp) => bob.output.slice(begun).filter((line) => text.test(line));
    proxy.setRule(async () => 'cut the line');
    await until(() => said(/WARN .*the chain cannot be relied on/).length > 0, 'bob warns');
    await until(async () => (await bob.api.ask({ path: '/readyz' })).status === 503, 'it is out');
    proxy.setRule(null);
    await world.whileMining(until(() => said(/chain ready .*awayMs=/).length > 0, 'it is over'));
    expect(said(/the chain cannot be relied on/)).toHaveLength(1);
  });

  it('lives on when another program writes into its database for eight seconds', async () => {
    const holder = spawn(process.execPath, ['-e', HOLD, join(world.folder, 'bob', 'node.db')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    const lines = createInterface({ input: holder.stdout });
    await once(lines, 'line');
    const released = once(lines, 'line');
    await world.whileMining(released);
    await world.whileMining(until(isPaid, 'bob is paid'));
    expect(bob.output.join('\n')).not.toContain('the node is in safe mode');
  });
});

describe('safe mode', () => {
  it('waits for an endpoint that is away or serves another chain, and then answers a close', async () => {
    // What he is paid is his before the trouble: a lock could run out while his endpoint is away.
    const balance = async () => (await bob.api.channel(world.token, alice.address))?.balance ?? 0n;
    await until(async () => (await balance()) >= 3n * TOKENS, 'bob has heard every unlock');
    proxy.setRule(async () => 'cut the line');
    bob.signal('SIGUSR2');
    const begins = () => bob.output.filter((line) => line.includes('begins again')).length;
    await until(() => begins() > 0, 'bob has tried once');
    const before = begins();
    proxy.setRule(async ({ method }, forward) =>
      method === 'eth_chainId' ? { result: '0x1' } : forward(),
    );
    await until(() => begins() > before, 'bob has tried again');
    // Alice holds no proof of bob, so her close says that she has paid nothing.
    const path = `/channels/${world.token}/${bob.address}`;
    const closing = alice.api.patch(path, { state: 'closed' });
    expect((await world.whileMining(closing)).status).toBe(200);
    proxy.setRule(null);
    const hasAll = async () => (await world.tokensOf(bob.address)) >= 3n * TOKENS;
    await until(async () => (await hasAll()) || world.nudge(), 'bob has his tokens');
  });
});

/** Holds the write lock of the database, says so, gives it back after eight seconds, and says so again. */
const HOLD = `
  const client = new (require('libsql'))(process.argv[1]);
  client.pragma('busy_timeout = 5000');
  client.exec('BEGIN IMMEDIATE');
  console.log('held');
  setTimeout(() => { client.exec('COMMIT'); console.log('released'); }, 8_000);
`;
