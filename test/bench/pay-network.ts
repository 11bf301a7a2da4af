/** The network that payments are measured in: three nodes as processes, in a line, over real chain, broker and disk. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { longestStall, metricsOf } from './node-metrics.ts';
import { openChannel } from './open-channel.ts';
import { cpuMsOf, mainThreadCpuMsOf, writtenBy } from './process-figures.ts';

const ready = v.object({
  tokens: v.tupleWithRest([v.object({ address: v.string() })], v.unknown()),
  nats: v.nullable(v.string()),
  nodes: v.array(
    v.object({
      name: v.string(),
      address: v.string(),
      api: v.string(),
      pid: v.number(),
      database: v.string(),
    }),
  ),
});
export type Node = v.InferOutput<typeof ready>['nodes'][number];
export type PayNetwork = Awaited<ReturnType<typeof startPayNetwork>>;

/**
 * `callers`: how many calls each API takes at a time. `isProfiled`: the nodes listen for a debugger. `program`: the folder
 * whose build runs, this one unless told.
 */
export async function startPayNetwork({
  callers,
  isProfiled,
  program = '.',
}: {
  callers: number;
  isProfiled: boolean;
  program?: string;
}) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const readyFile = join(folder, 'ready.json');
  const devnet = spawn(process.execPath, ['dist/src/cli/main.js', ...flags(callers, readyFile)], {
    cwd: program,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: isProfiled ? { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' } : process.env,
  });
  process.once('exit', () => devnet.kill('SIGINT'));
  const debuggers = new Map<string, string>();
  devnet.stderr.setEncoding('utf8');
  devnet.stderr.on('data', (text: string) => {
    for (const [, name = '', url = ''] of text.matchAll(
      /^\[(\w+)\] Debugger listening on (\S+)$/gm,
    ))
      debuggers.set(name, url);
    if (!isProfiled) process.stderr.write(text);
  });
  while (!existsSync(readyFile)) {
    if (devnet.exitCode !== null) throw new Error('the devnet ended before it was ready');
    await delay(50);
  }
  const { tokens, nodes, nats } = v.parse(ready, JSON.parse(readFileSync(readyFile, 'utf8')));
  const [alice, bob, carol] = nodes;
  if (alice === undefined || bob === undefined || carol === undefined)
    throw new Error('the devnet has no three nodes');
  if (nats === null) throw new Error('this benchmark needs a nats-server');
  const token = tokens[0].address;
  await openChannel(alice.api, { token, partner: bob.address });
  await openChannel(bob.api, { token, partner: carol.address });
  return {
    token,
    alice,
    bob,
    carol,
    /** Where the debugger of the node's process listens. */
    debuggerOf: ({ name }: Node) => debuggers.get(name) ?? null,
    async end() {
      devnet.kill('SIGINT');
      await new Promise((resolve) => devnet.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function flags(callers: number, readyFile: string): string[] {
  const options = {
    '--nodes': '3',
    '--api-port': '0',
    '--api-concurrency': String(callers),
    '--log-level': 'warn',
    '--ready-file': readyFile,
  };
  return ['devnet', '--processes', '--no-services', ...Object.entries(options).flat()];
}

/** Bytes of the node's database with what is written ahead of it. */
function bytesOnDisk({ database }: Node): number {
  const file = database.replace(/^file:(\/\/)?/, '');
  return [file, `${file}-wal`].reduce(
    (sum, one) => sum + (existsSync(one) ? statSync(one).size : 0),
    0,
  );
}

const stallsOf = (nodes: readonly Node[]) => Promise.all(nodes.map(({ api }) => longestStall(api)));

/** What a node has written and said until now, and how long its JavaScript has run. */
async function countsOf({ api, pid }: Node) {
  const metrics = await metricsOf(api);
  return {
    commits: metrics.value('pcn_db_commit_seconds_count'),
    updates: metrics.sent().get('Update') ?? 0,
    ranMs: mainThreadCpuMsOf(pid),
  };
}

/** What `work` answers, and what it cost each of the nodes: for each of `total` payments, or the longest. */
export async function measured<T>(nodes: readonly Node[], total: number, work: () => Promise<T>) {
  await stallsOf(nodes);
  const cpuBefore = nodes.map(({ pid }) => cpuMsOf(pid));
  const bytesBefore = nodes.map(bytesOnDisk);
  const writtenBefore = nodes.map(({ pid }) => writtenBy(pid));
  const countsBefore = await Promise.all(nodes.map(countsOf));
  const ownBefore = process.cpuUsage();
  const begin = performance.now();
  const load = await work();
  const tookMs = performance.now() - begin;
  const own = process.cpuUsage(ownBefore);
  // First: whoever reads its metrics makes a node measure anew.
  const stallMs = Math.max(...(await stallsOf(nodes)));
  const counts = await Promise.all(nodes.map(countsOf));
  const since = (count: keyof Awaited<ReturnType<typeof countsOf>>) =>
    counts.map((now, at) => now[count] - (countsBefore[at]?.[count] ?? 0));
  return {
    load,
    /** Microseconds of CPU time. */
    spent: nodes.map((node, at) => (1_000 * (cpuMsOf(node.pid) - (cpuBefore[at] ?? 0))) / total),
    /** Of this process, which makes the calls. */
    ownSpent: (own.user + own.system) / total,
    bytes: nodes.map((node, at) => (bytesOnDisk(node) - (bytesBefore[at] ?? 0)) / total),
    /** Bytes that were written to the disk; `bytes`: those that stay there. */
    written: nodes.map((node, at) => (writtenBy(node.pid) - (writtenBefore[at] ?? 0)) / total),
    /** The share of the time in which each ran, and how many commits and Updates it made for a payment. */
    busy: since('ranMs').map((ms) => ms / tookMs),
    commits: since('commits').map((count) => count / total),
    updates: since('updates').map((count) => count / total),
    stallMs,
  };
}
