/**
 * Where a node's CPU time goes while it pays, by part of the program: from V8's sampling profiler in the process of the
 * node, which listens for a debugger (`NODE_OPTIONS=--inspect=127.0.0.1:0`) and says where on its standard error.
 */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { WebSocket } from 'ws';

/** The files of the program's bundle. */
const PROGRAM = /dist\/src\/cli\/[\w.-]+\.js$/;
const SAMPLE_MICROSECONDS = 200;

/** By the paths of modules; the first that fits counts. */
const PARTS: readonly [part: string, pattern: RegExp][] = [
  [
    'crypto',
    /^src\/signer|node_modules\/(secp256k1|tiny-secp256k1|hash-wasm|@noble)|src\/protocol\/hash|seal\.js$|node:internal\/crypto/,
  ],
  ['store', /^src\/store|node_modules\/(libsql|drizzle-orm)/],
  ['actors', /^machines|node_modules\/xstate|runtime\/(actors|lifecycle|kinds|turn)\.js/],
  ['HTTP', /^src\/http|node_modules\/(hono|@hono)|node:_http|src\/node\/api/],
  ['messaging', /^src\/(node\/messaging|partner|protocol)|node_modules\/nats/],
  ['the rest of the node', /^(src|node_modules)/],
];
export const PART_NAMES = [...PARTS.map(([part]) => part), 'garbage collection', 'I/O and timers'];

const profile = v.object({
  nodes: v.array(
    v.object({
      id: v.number(),
      callFrame: v.object({ functionName: v.string(), url: v.string(), lineNumber: v.number() }),
      children: v.optional(v.array(v.number()), []),
    }),
  ),
  samples: v.array(v.number()),
  timeDeltas: v.array(v.number()),
});
type Profile = v.InferOutput<typeof profile>;
const stopped = v.object({ profile });
const reply = v.object({ id: v.number(), result: v.unknown() });

export type Profiler = { start(): Promise<void>; stop(): Promise<Profile> };

/** A profiler of the process whose debugger listens at this address (`ws://…`). */
export async function attach(url: string): Promise<Profiler & { close(): void }> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: unknown) => void>();
  let calls = 0;
  socket.on('message', (data) => {
    const answer = v.safeParse(reply, JSON.parse(String(data)));
    if (answer.success) waiting.get(answer.output.id)?.(answer.output.result);
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const call = (method: string, params = {}) =>
    new Promise<unknown>((resolve) => {
      calls += 1;
      waiting.set(calls, resolve);
      socket.send(JSON.stringify({ id: calls, method, params }));
    });
  await call('Profiler.enable');
  await call('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
  return {
    async start() {
      await call('Profiler.start');
    },
    async stop() {
      const { profile: taken } = v.parse(stopped, await call('Profiler.stop'));
      return taken;
    },
    close: () => socket.close(),
  };
}

/** The module of each line of a file of the program: the bundle names it in a comment before its first line. */
function modulesByLine(file: string): readonly string[] {
  let current = '';
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      const named = /^\/\/ (?:dist\/)?((?:src|machines|node_modules)\/\S+)$/.exec(line)?.[1];
      current = named ?? current;
      return current;
    });
}

/** Microseconds of CPU by part. What a library or the system does counts for the part that called it. */
export function budgetOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const files = new Map<string, readonly string[]>();
  const moduleAt = (file: string, line: number) => {
    const modules = files.get(file) ?? modulesByLine(file);
    files.set(file, modules);
    return modules[line] ?? '';
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string | null>();
  const partOf = ({ callFrame: { functionName, url, lineNumber } }: Profile['nodes'][number]) => {
    if (functionName === '(garbage collector)') return 'garbage collection';
    if (functionName === '(idle)') return 'idle';
    const [file] = PROGRAM.exec(url) ?? [];
    const place =
      file === undefined ? url.replace(/^.*(?=node_modules)/, '') : moduleAt(file, lineNumber);
    return PARTS.find(([, pattern]) => pattern.test(place))?.[0] ?? null;
  };
  const walk = (id: number, above: string | null) => {
    const node = byId.get(id);
    if (node === undefined) return;
    const part = partOf(node) ?? above;
    parts.set(id, part);
    for (const child of node.children) walk(child, part);
  };
  const [root] = nodes;
  if (root !== undefined) walk(root.id, null);
  const budget = new Map<string, number>();
  samples.forEach((id, index) => {
    const part = parts.get(id) ?? 'I/O and timers';
    budget.set(part, (budget.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  });
  budget.delete('idle');
  return budget;
}
