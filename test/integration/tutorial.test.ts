/** Runs every command of docs/tutorial.md, and compares what it answers with what stands there. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { beginProgram, type Program } from '../support/program.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { until } from '../support/until.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const text = readFileSync(
  fileURLToPath(new URL('../../docs/tutorial.md', import.meta.url)),
  'utf8',
);

/** A block of commands, the line of the page where it begins, and what it is said to answer. */
type Step = { line: number; commands: string; answer: { kind: string; text: string } | null };
type Block = { line: number; kind: string; text: string };

function blocksIn(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map((match) => {
    const [, kind = '', content = ''] = match;
    return { line: page.slice(0, match.index).split('\n').length + 1, kind, text: content };
  });
}

function stepsIn(blocks: readonly Block[]): Step[] {
  return blocks.flatMap((block, index) => {
    if (block.kind !== 'sh') return [];
    const next = blocks[index + 1];
    const answer = next === undefined || next.kind === 'sh' ? null : next;
    return [{ line: block.line, commands: block.text, answer }];
  });
}

const [start, ...steps] = stepsIn(blocksIn(text));

let folder: string;
let devnet: Program;
let shell: Shell;
let ready: ReadyFile;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tutorial-'));
  const file = join(folder, 'ready.json');
  const options = /^npm run devnet -- (.*)$/.exec(start?.commands ?? '')?.[1]?.split(' ') ?? [];
  expect(options).not.toEqual([]);
  const forTests = ['--api-port', '0', '--block-time', '0.5', '--ready-file', file];
  devnet = beginProgram(['devnet', ...options, ...forTests], { TMPDIR: folder });
  let isOver = false;
  void devnet.ended.then(() => {
    isOver = true;
  });
  await until(() => isOver || existsSync(file), 'the devnet is ready', 60_000);
  if (isOver) throw new Error(devnet.stderr());
  ready = JSON.parse(readFileSync(file, 'utf8'));
  shell = openShell();
}, 90_000);
afterAll(async () => {
  shell?.end();
  devnet?.signal('SIGTERM');
  await devnet?.ended;
  rmSync(folder, { recursive: true, force: true });
});

/** On a busy machine the nodes need longer than a second to read a hundred blocks. */
const PATIENCE = 'sleep 1; until curl -s $A/status | grep -q ready; do sleep 0.2; done';

/** The places of the page are those of a devnet whose ports were free. */
function inPlace(commands: string): string {
  const all = ready.echo === null ? ready.nodes : [...ready.nodes, ready.echo];
  const places = all.map(({ api }, index) => [`http://127.0.0.1:${5001 + index}`, api]);
  return [...places, ['http://127.0.0.1:8545', ready.chain.rpc]].reduce(
    (all, [from = '', to = '']) => all.replaceAll(from, to),
    commands.replaceAll('sleep 1', PATIENCE),
  );
}

it.each(steps)(
  'the commands at line $line of the tutorial answer as the page says',
  async (step) => {
    const output = await hurried(step.commands, shell.run(inPlace(step.commands)));
    const { answer } = step;
    if (answer === null) return expect(output).toBe('');
    if (answer.kind === 'json')
      expect(JSON.parse(output)).toEqual(expected(JSON.parse(answer.text)));
    else expect(output.trim()).toBe(answer.text);
  },
  60_000,
);

/** Lets the blocks pass at once that a settlement waits for. */
async function hurried<T>(commands: string, work: Promise<T>): Promise<T> {
  if (!/DELETE|"closed"/.test(commands)) return work;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x1'] });
  const timer = setInterval(() => {
    fetch(ready.chain.rpc, { method: 'POST', headers: JSON_TYPE, body }).catch(() => {});
  }, 100);
  return work.finally(() => clearInterval(timer));
}

it('the tutorial names every kind of call', () => {
  const calls = [...text.matchAll(/curl [^\n]*?\$[ABC]\/([a-z_]+)/g)].map(([, first]) => first);
  expect([...new Set(calls)].sort()).toEqual(CALLS);
});

const CALLS = [
  '_testing',
  'address',
  'channels',
  'connections',
  'contracts',
  'events',
  'notifications',
  'payments',
  'pending_transfers',
  'shutdown',
  'status',
  'tokens',
  'user_deposit',
];

/** `…` in a string stands for anything; a number for any number. */
function expected(shown: unknown): unknown {
  if (typeof shown === 'number') return expect.any(Number);
  if (typeof shown === 'string') {
    if (!shown.includes('…')) return shown;
    const escaped = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return expect.stringMatching(new RegExp(`^${escaped.join('[^]+')}$`));
  }
  if (Array.isArray(shown)) return shown.map(expected);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, expected(value)]));
}
