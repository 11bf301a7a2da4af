import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { DEFAULT_FEE_TERMS, scheduleOf } from '../../src/protocol/fees/fee-terms.ts';
import { amountWithoutFees } from '../../src/protocol/fees/fees.ts';
import {
  beginProgram,
  endPrograms,
  isAlive,
  type Program,
  startProgram,
} from '../support/program.ts';
import { until } from '../support/until.ts';

const TOKENS = 10n ** 18n;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-devnet-test-'));
});
afterEach(endPrograms);
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** A devnet whose temporary files are all in a folder of the test; `begin`: where it runs. */
function start(args: readonly string[], begin = startProgram) {
  count += 1;
  const readyFile = join(folder, `ready-${count}.json`);
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  const all = ['devnet', '--api-port', '0', '--ready-file', readyFile, ...args];
  const program = begin(all, { TMPDIR: temporary });
  return { program, readyFile, temporary };
}

async function startReady(args: readonly string[] = [], begin = startProgram) {
  const started = start(args, begin);
  let isOver = false;
  started.program.ended.then(() => {
    isOver = true;
  });
  await until(() => isOver || existsSync(started.readyFile), 'the ready file', 60_000);
  if (isOver) throw new Error(started.program.stderr());
  const ready: ReadyFile = JSON.parse(readFileSync(started.readyFile, 'utf8'));
  return { ...started, ready, children: childrenOf(started.program.pid) };
}

/** Process ids whose parent is `pid`, from /proc. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | null {
  try {
    const [, parent] =
      /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(parent);
  } catch {
    return null;
  }
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

/** A process that has ended but was not collected yet does nothing any more. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function canConnect(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function ask(url: string, method = 'GET', body?: string): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  });
  const answer: unknown = await response.json();
  if (!response.ok)
    throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

function callChain(rpc: string, method: string, ...params: unknown[]): Promise<unknown> {
  return ask(rpc, 'POST', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
}

async function ownAddress(api = ''): Promise<unknown> {
  return Object(await ask(`${api}/api/v1/address`)).our_address;
}

/** The lines that the devnet prints for pasting, by what stands above each: the last call of each, without waiting. */
function printedExamples(program: Program): Map<string, () => Promise<unknown>> {
  const curl =
    /^(?:sh -c 'until |sleep .*; |sh -c 'while .*; )?curl (?:-s )?(?:-X (\S+) )?(http:[^\s']+)(?: -H 'content-type: application\/json' -d '([^']*)')?(?: \| .*)?'?$/;
  const lines = program.stdout().split('\n');
  return new Map(
    lines.flatMap((line, index) => {
      const match = curl.exec(line);
      if (match === null) return [];
      const [, given, url = '', body] = match;
      const method = given ?? (body === undefined ? 'GET' : 'POST');
      const title = /^echo '# (.*)'$/.exec(lines[index - 1] ?? '')?.[1] ?? '';
      return [[title, () => ask(url, method, body)] as const];
    }),
  );
}

describe('sluice devnet', () => {
  it('prints lines that lead through payments and the life of a channel, and leaves nothing behind', async () => {
    const { program, ready, readyFile, temporary, children } = await startReady([], beginProgram);
    await program.says(/Ctrl-C stops everything/);
    const examples = printedExamples(program);
    const run = (title: string) => {
      const example = examples.get(title);
      if (example === undefined) throw new Error(`no line for "${title}": ${[...examples.keys()]}`);
      return example();
    };
    const [alice, bob, carol] = ready.nodes;
    const [token] = ready.tokens;
    /** What the service knows comes a moment after what the nodes know. */
    const runWhenKnown = (title: string) =>
      until(() => run(title).then(Boolean, () => false), `success of "${title}"`);
    const balance = async (of = alice, partner = bob) => {
      const path = `${of?.api}/api/v1/channels/${token?.address}/${partner?.address}`;
      return BigInt(Object(await ask(path)).balance);
    };

    expect(await run('the tokens that have a network')).toEqual([token?.address]);
    expect(await run('alice opens a channel with bob and deposits 100 TTA')).toMatchObject({
      partner_address: bob?.address,
      balance: String(100n * TOKENS),
      state: 'opened',
    });
    await run('bob opens a channel with carol and deposits 100 TTA');
    await run('carol opens a channel with echo and deposits 100 TTA');
    expect(await run('alice deposits another 100 TTA')).toMatchObject({
      balance: String(200n * TOKENS),
    });
    expect(await run('alice pays bob 5 TTA')).toMatchObject({ amount: String(5n * TOKENS) });
    expect(await run('the history of alice')).toMatchObject([
      { event: 'EventPaymentSentSuccess', amount: String(5n * TOKENS), target: bob?.address },
    ]);
    await until(async () => {
      const received = await run('the history of bob');
      return Array.isArray(received) && received.length === 1;
    }, 'bob has received the payment');

    const mediation = {
      scheduleIn: scheduleOf(DEFAULT_FEE_TERMS, 200n * TOKENS),
      scheduleOut: scheduleOf(DEFAULT_FEE_TERMS, 100n * TOKENS),
      balanceIn: await balance(bob, alice),
      receivable: await balance(alice, bob),
      balanceOut: await balance(bob, carol),
    };
    await runWhenKnown('alice pays carol 1 TTA through bob');
    await until(async () => (await balance(carol, bob)) > 0n, 'carol has been paid');
    const sent = mediation.receivable - (await balance(alice, bob));
    const received = await balance(carol, bob);
    expect(received).toBeGreaterThanOrEqual(TOKENS);
    expect(received).toBe(amountWithoutFees(mediation, sent));
    expect(await run('the history of carol')).toMatchObject([{ amount: String(received) }]);

    await runWhenKnown('carol pays the echo node 9 units as payment 100');
    const toEcho = { event: 'EventPaymentSentSuccess', amount: '9', identifier: '100' };
    const fromEcho = { event: 'EventPaymentReceivedSuccess', amount: '8', identifier: '108' };
    await until(async () => {
      const history = await run('which answers with 8 units as payment 108: this waits for it');
      return Array.isArray(history) && history.some(({ event }) => event === fromEcho.event);
    }, 'the echo');
    const echoes = Object(
      await run('which answers with 8 units as payment 108: this waits for it'),
    );
    expect(echoes).toMatchObject([toEcho, fromEcho]);
    const partners = await ask(`${ready.pathfinding}/api/v1/${token?.address}/suggest_partner`);
    expect(partners).toMatchObject([{ score: expect.any(Number) }, {}, {}, {}]);
    const ofBob = await balance(bob, alice);

    expect(await run('alice closes the channel')).toMatchObject({ state: 'closed' });
    await callChain(ready.chain.rpc, 'anvil_mine', '0x20');
    await until(async () => {
      const channels = await run(
        'after the settle timeout the channel is gone from the list: this waits for it',
      );
      return Array.isArray(channels) && channels.length === 0;
    }, 'the channel is settled');
    const paid = { result: hex256(10n ** 24n - 100n * TOKENS + ofBob) };
    expect(await run('and the tokens of bob are on chain (hexadecimal)')).toMatchObject(paid);

    expect(examples.size).toBe(15);
    expect(children).toHaveLength(2);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
    const { chain, nats, inspector, pathfinding, echo } = ready;
    const places = [chain.rpc, nats, inspector, pathfinding, alice?.api, bob?.api, echo?.api];
    for (const place of places) expect(await canConnect(place ?? '')).toBe(false);
    expect(children.filter(isRunning)).toEqual([]);
    expect(existsSync(readyFile)).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  }, 120_000);

  it('writes what runs where, and gives everybody every token and money for gas', async () => {
    const data = join(folder, 'data');
    const { program, ready } = await startReady(['--nodes', '1', '--data', data], beginProgram);
    const [alice] = ready.nodes;
    expect(ready).toEqual({
      chain: { rpc: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), chainId: 31_337 },
      nats: expect.stringMatching(/^nats:\/\/127\.0\.0\.1:\d+$/),
      inspector: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/inspector\/$/),
      contracts: await ask(`${alice?.api}/api/v1/contracts`),
      tokens: [
        {
          address: expect.any(String),
          tokenNetwork: await ask(`${alice?.api}/api/v1/tokens/${ready.tokens[0]?.address}`),
          symbol: 'TTA',
          decimals: 18,
        },
      ],
      unregisteredTokens: [expect.any(String), expect.any(String)],
      paywall: null,
      pathfinding: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      monitoring: {
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        database: `file:${join(data, 'monitoring', 'node.db')}`,
        pid: program.pid,
      },
      echo: {
        name: 'echo',
        address: await ownAddress(ready.echo?.api),
        api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        database: `file:${join(data, 'echo', 'node.db')}`,
        pid: program.pid,
      },
      nodes: [
        {
          name: 'alice',
          address: await ownAddress(alice?.api),
          api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
          database: `file:${join(data, 'alice', 'node.db')}`,
          pid: program.pid,
        },
      ],
    });
    const watched = await (await fetch(`${ready.inspector}nodes`)).json();
    expect(watched).toMatchObject({ nodes: [{ name: 'alice' }, { name: 'echo' }] });
    const { rpc } = ready.chain;
    const owner = String(alice?.address).slice(2).toLowerCase().padStart(64, '0');
    for (const to of [ready.tokens[0]?.address, ...ready.unregisteredTokens]) {
      const answer = await callChain(rpc, 'eth_call', { to, data: `0x70a08231${owner}` }, 'latest');
      expect(answer).toMatchObject({ result: hex256(10n ** 24n) });
    }
    const all = JSON.stringify({ total_deposit: String(10n ** 24n) });
    expect(await ask(`${alice?.api}/api/v1/user_deposit`, 'POST', all)).toEqual({
      transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    const money = await callChain(rpc, 'eth_getBalance', alice?.address, 'latest');
    expect(money).toMatchObject({ result: expect.stringMatching(/^0x[0-9a-f]{15,}$/) });
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(existsSync(join(data, 'alice', 'node.db'))).toBe(true);
    const again = start(['--data', data], beginProgram);
    expect(await again.program.ended).toBe(1);
    expect(again.program.stderr()).toContain('give --data an empty folder');
  });

  it('runs every node in a process of its own, opens channels and makes a payment', async () => {
    const { program, ready, children } = await startReady([
      ...['--nodes', '2', '--processes', '--open'],
      ...['--default-settle-timeout', '60'],
    ]);
    const [alice, bob] = ready.nodes;
    expect(ready.nodes.every(({ pid }) => pid !== program.pid && children.includes(pid))).toBe(
      true,
    );
    const received = `${bob?.api}/api/v1/payments`;
    await until(async () => Object(await ask(received)).length === 1, 'bob has been paid');
    const channels = await ask(`${alice?.api}/api/v1/channels`);
    expect(channels).toMatchObject([
      { partner_address: bob?.address, state: 'opened', settle_timeout: '60' },
    ]);

    const { echo } = ready;
    // The chain, the broker, two nodes, the echo node and two services.
    expect(children).toHaveLength(7);
    expect(children).toEqual(expect.arrayContaining([echo?.pid, ready.monitoring?.pid]));
    const toEcho = `${bob?.api}/api/v1/payments/${ready.tokens[0]?.address}/${echo?.address}`;
    await ask(toEcho, 'POST', JSON.stringify({ amount: '9', identifier: '100' }));
    const answer = { event: 'EventPaymentReceivedSuccess', amount: '8', identifier: '108' };
    await until(async () => Object(await ask(toEcho)).length === 2, 'the echo');
    expect(await ask(`${toEcho}?offset=1`)).toMatchObject([answer]);

    // The death of one node is the business of nobody else, and it can come back.
    process.kill(bob?.pid ?? 0, 'SIGKILL');
    const isDead = `bob (process ${bob?.pid}) was ended by SIGKILL`;
    await until(() => program.stderr().includes(isDead), 'the devnet says who died');
    const channelsOfBob = `${bob?.api}/api/v1/channels`;
    expect(await ask(`${alice?.api}/api/v1/channels`)).toHaveLength(1);
    const play = new URL('/devnet/', ready.inspector);
    const running = { name: 'bob', isRunning: true, busy: null, canKill: true };
    expect(await ask(`${play}nodes/bob/start`, 'POST')).toMatchObject(running);
    expect(await ask(channelsOfBob)).toHaveLength(2);
    expect(await ask(`${play}nodes/bob/kill`, 'POST')).toMatchObject({ isRunning: false });
    expect(await ask(`${play}nodes/bob/start`, 'POST')).toMatchObject(running);
    expect(await ask(`${play}nodes/bob/stop`, 'POST')).toMatchObject({ isRunning: false });
    expect(await ask(String(play))).toMatchObject({
      nodes: [{ name: 'alice' }, { name: 'bob', isRunning: false }, { name: 'echo' }],
    });

    // The chain is everybody's.
    const chain = children.find((pid) => commandOf(pid).includes('anvil')) ?? 0;
    process.kill(chain, 'SIGKILL');
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain(`process ${chain}, was ended by SIGKILL`);
    const left = childrenOf(program.pid);
    expect([...children, ...left].filter(isRunning)).toEqual([]);
  });

  it('can be played with: a node is cut off, stopped and started, and blocks are made', async () => {
    const { program, ready } = await startReady(
      ['--nodes', '2', '--no-services', '--open'],
      beginProgram,
    );
    const [alice, bob] = ready.nodes;
    const play = new URL('/devnet/', ready.inspector);
    const isWarned = async () =>
      (await (await fetch(`${bob?.api}/readyz`)).text()).includes('broker');
    expect(await ask(`${play}nodes/bob/disconnect`, 'POST')).toMatchObject({ isConnected: false });
    await until(isWarned, 'bob knows that the broker is away');
    expect(await ask(`${play}nodes/bob/connect`, 'POST')).toMatchObject({ isConnected: true });
    await until(async () => !(await isWarned()), 'bob is back');

    // The same process opens it again, at the same place and with the same channel.
    expect(await ask(`${play}nodes/bob/stop`, 'POST')).toMatchObject({ isRunning: false });
    expect(await canConnect(bob?.api ?? '')).toBe(false);
    expect(await ask(`${play}nodes/bob/start`, 'POST')).toMatchObject({ isRunning: true });
    const payment = `${play}nodes/alice/api/v1/payments/${ready.tokens[0]?.address}/${bob?.address}`;
    const amount = JSON.stringify({ amount: '7' });
    expect(await ask(payment, 'POST', amount)).toMatchObject({
      amount: '7',
      initiator_address: alice?.address,
    });
    const received = async () => JSON.stringify(await ask(`${bob?.api}/api/v1/payments`));
    await until(async () => (await received()).includes('"amount":"7"'), 'bob has the payment');

    const height = async () =>
      Number(Object(await callChain(ready.chain.rpc, 'eth_blockNumber')).result);
    const before = await height();
    expect(await ask(`${play}mine/50`, 'POST')).toEqual({ mined: 50 });
    expect(await height()).toBeGreaterThanOrEqual(before + 50);

    for (const [path, said] of [
      ['mine/1001', 'from 1 to 1000'],
      ['mine/many', 'from 1 to 1000'],
      ['nodes/bob/kill', '--processes'],
      ['nodes/dave/stop', 'no node dave'],
      ['nodes/bob/explode', 'no such'],
    ] as const)
      await expect(ask(`${play}${path}`, 'POST')).rejects.toThrow(said);
    const foreign = { method: 'POST', headers: { origin: 'http://pages.example' } };
    expect((await fetch(`${play}nodes/bob/stop`, foreign)).status).toBe(403);
    // It goes on when one node is shut down over its API.
    await ask(`${alice?.api}/api/v1/shutdown`, 'POST');
    await until(async () => !(await canConnect(alice?.api ?? '')), 'alice is gone');
    expect(await ask(`${bob?.api}/api/v1/status`)).toEqual({ status: 'ready' });
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it.each(['Starting the chain', 'Deploying the tokens', 'Starting 2 nodes'])(
    'leaves nothing behind when it is interrupted at "%s"',
    async (step) => {
      const { program, readyFile, temporary } = start([
        ...['--processes', '--nodes', '2', '--no-services'],
      ]);
      await until(() => program.stderr().includes(step), step);
      const children = childrenOf(program.pid);
      program.signal('SIGINT');
      expect(await program.ended).toBe(0);
      expect(children.filter(isRunning)).toEqual([]);
      expect(existsSync(readyFile)).toBe(false);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it('takes its processes along when it is killed', async () => {
    const { program, children } = await startReady([
      '--nodes',
      '1',
      '--processes',
      '--no-services',
    ]);
    expect(children).toHaveLength(3);
    program.signal('SIGKILL');
    await program.ended;
    await until(() => !children.some(isRunning), 'the processes are gone');
  });
});

function hex256(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
