/** `sluice inspect` beside a running node, through a payment. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { createInspector, type NodeInspector } from '../../src/inspector/inspector.ts';
import { good, type Network, startNetwork, type TestNode, TOKENS } from '../support/network.ts';
import { callProgram, endPrograms, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const TOKEN = 'inspect-0123456789abcdef';

let network: Network;
let alice: TestNode;
let bob: TestNode;
let inspector: NodeInspector;
let server: NodeServer;
let folder: string;
let tokenFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-inspect-'));
  tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${TOKEN} read\n`, { mode: 0o600 });
  network = await startNetwork();
  await network.fund('alice', 100n * TOKENS);
  alice = await network.start('alice');
  bob = await network.start('bob');
  inspector = createInspector({ inspection: alice.inspection });
  const served = await serveNode({
    node: alice,
    config: {
      host: '127.0.0.1',
      port: 0,
      concurrency: 1,
      inspector,
      tokens: [{ token: TOKEN, scope: 'read', cap: null, budget: null }],
    },
    onInternalError: (error) => expect(error).toBeUndefined(),
  });
  if (!served.ok) throw new Error(served.message);
  server = served.value;
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const request = { token: network.token, partner: bob.ownAddress, totalDeposit: 10n * TOKENS };
  good(await network.whileMining(alice.openChannel({ ...request, ...timeouts })));
  await until(() => bob.channel(network.token, alice.ownAddress) !== null, 'bob sees the channel');
});
afterAll(async () => {
  await endPrograms();
  await server.end();
  await inspector.end();
  await network.stop();
  rmSync(folder, { recursive: true });
});

const inspect = (...args: string[]) => ['inspect', server.url, '--token-file', tokenFile, ...args];
const pay = async (amount: bigint) =>
  good(
    await alice.pay({
      token: network.token,
      target: bob.ownAddress,
      amount,
      paymentId: null,
      secret: null,
      secrethash: null,
      lockTimeout: null,
      routes: null,
    }),
  );

it('shows a channel and follows a payment through it until it is told to end', async () => {
  const program = startProgram(inspect('channel'));
  await program.says(/balance +10000000000000000000 +0/);
  await program.says(/Takes next/);
  await pay(3n * TOKENS);
  await program.says(/actor\.unlock/);
  await program.says(/~ ownEnd\.transferred = 3000000000000000000/);
  program.signal('SIGINT');
  expect(await program.ended).toBe(0);
  expect(program.stderr()).toBe('');
});

it('finds a payment that has ended, and keeps its secret', async () => {
  const { paymentId, secret } = await pay(1n * TOKENS);
  const { code, stdout } = await callProgram(inspect(`${paymentId}`, '--once'));
  expect(code).toBe(0);
  expect(stdout).toContain('paid, ended');
  expect(stdout).toMatch(/msg\.revealSecret: offered → paid/);
  expect(stdout).not.toContain(secret.slice(2));
});

it('prints the list of actors as lines of JSON and ends', async () => {
  const { code, stdout } = await callProgram(inspect('--once', '--json', '--machine', 'channel'));
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ machine: 'channel', isEnded: false });
});

it('says what is wrong: no node, no token, a token that others may read, nobody of that name', async () => {
  const refusals = await Promise.all([
    callProgram(['inspect', 'http://127.0.0.1:2', '--once']),
    callProgram(['inspect', server.url, '--once']),
    callProgram(inspect('tokenNet0')),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(refusals[0].stderr).toContain('no node answers there');
  expect(refusals[1].stderr).toContain('--token-file');
  expect(refusals[2].stderr).toContain('Nearest:\n  tokenNetwork:0x');
  chmodSync(tokenFile, 0o644);
  const open = await callProgram(inspect('--once'));
  chmodSync(tokenFile, 0o600);
  expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('chmod 600')]);
});
