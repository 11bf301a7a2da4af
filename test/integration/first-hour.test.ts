/** What the README and a devnet give to paste, pasted into shells as people have them. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guideText } from '../../src/devnet/guide.ts';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { type Program, startProgram } from '../support/program.ts';
import { stepByStep } from '../support/readme.ts';
import { until } from '../support/until.ts';

/** Without the settings of whoever runs this; a zsh takes no comments then, as on macOS. */
const SHELLS = [
  ['sh', '-i'],
  ['bash', '--norc', '-i'],
  ['zsh', '-f', '-i'],
  ['fish', '--no-config', '-i'],
] as const;
const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;
const installed = SHELLS.filter(([name]) => isThere(name));
const TOKENS = 10n ** 18n;
/** Twelve nodes take half a minute and more on a machine that has other work. */
const LONGEST_MS = 150_000;

type Pasted = { answers: string; complaints: string };

let folder: string;
let devnet: Program;
let ready: ReadyFile;
const steps = new Map<string, Pasted>();
const lines = new Map<string, Pasted>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-first-hour-'));
  const file = join(folder, 'ready.json');
  const nodes = String(3 * installed.length);
  const options = ['--nodes', nodes, '--api-port', '0', '--block-time', '0.5'];
  devnet = startProgram(['devnet', ...options, '--ready-file', file], { TMPDIR: folder });
  let isOver = false;
  void devnet.ended.then(() => {
    isOver = true;
  });
  await until(() => isOver || existsSync(file), 'the devnet is ready', LONGEST_MS);
  if (isOver) throw new Error(devnet.stderr());
  ready = JSON.parse(readFileSync(file, 'utf8'));
  await pasteIntoEach(steps, stepsFor);
  await pasteIntoEach(lines, linesFor);
}, 3 * LONGEST_MS);
afterAll(async () => {
  devnet?.signal('SIGTERM');
  await devnet?.ended;
  rmSync(folder, { recursive: true, force: true });
});

/** Each shell has three nodes of its own. */
const nodesOf = (shell: number) => ready.nodes.slice(3 * shell, 3 * shell + 3);

function stepsFor(shell: number): string {
  const [alice, bob] = nodesOf(shell);
  return stepByStep()
    .commands.replaceAll('http://127.0.0.1:5001', alice?.api ?? '')
    .replaceAll('http://127.0.0.1:5002', bob?.api ?? '')
    .replaceAll('http://127.0.0.1:8545', ready.chain.rpc);
}

function linesFor(shell: number): string {
  const own = { ...ready, nodes: nodesOf(shell) };
  const openTimeouts = { settle_timeout: '20', reveal_timeout: '10' };
  const text = guideText({ ready: own, isOpen: false, openTimeouts, self: 'sluice' });
  return text.slice(text.indexOf("echo '"));
}

/** All shells at once; when each has closed its channel, the blocks pass that a settlement waits for. */
async function pasteIntoEach(into: Map<string, Pasted>, textFor: (shell: number) => string) {
  const begun = installed.map((shell, index) => paste(shell, `${textFor(index)}\n`));
  const isClosed = ({ pasted }: (typeof begun)[number]) =>
    pasted.answers.includes('"state":"closed"');
  let hasEnded = false;
  const ended = Promise.all(begun.map((one) => one.ended)).then(() => {
    hasEnded = true;
  });
  await until(
    () => hasEnded || begun.every(isClosed),
    'each shell has closed its channel',
    LONGEST_MS,
  );
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x20'] });
  const headers = { 'content-type': 'application/json' };
  await fetch(ready.chain.rpc, { method: 'POST', headers, body });
  await ended;
  for (const [index, [name]] of installed.entries())
    into.set(name, begun[index]?.pasted ?? { answers: '', complaints: '' });
}

/**
 * In a session of its own: an interactive shell would take the terminal from whoever runs this. Through a pipe of `cat`:
 * fish reads nothing of the sockets that Node gives to its children.
 */
function paste(shell: readonly string[], text: string) {
  const pasted: Pasted = { answers: '', complaints: '' };
  const environment = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb' };
  const child = spawn('sh', ['-c', `cat | ${shell.join(' ')}`], {
    detached: true,
    env: environment,
  });
  child.stdout.on('data', (chunk) => {
    pasted.answers += chunk;
  });
  child.stderr.on('data', (chunk) => {
    pasted.complaints += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin.end(text);
  return { pasted, ended };
}

const COMPLAINT = /not found|no match|unknown|unexpected|unsupported|expected|bad pattern|error/i;

describe.each(SHELLS.map(([name]) => name))('pasted into %s', (name) => {
  const of = (pasted: Map<string, Pasted>) => pasted.get(name) ?? { answers: '', complaints: '' };

  it.skipIf(!isThere(name))(
    `the README leads through a payment, step by step (needs ${name})`,
    () => {
      const { answers, complaints } = of(steps);
      expect(complaints).not.toMatch(COMPLAINT);
      expect(answers).not.toContain('"errors"');
      expect(answers).toMatch(/"state":"opened"/);
      expect(answers).toMatch(/"total_deposit":"200000000000000000000"/);
      expect(answers).toMatch(/"event":"EventPaymentSentSuccess","amount":"5000000000000000000"/);
      expect(answers).toMatch(/"result":"0x0{44}d3c261325e6fe5f40000"/);
    },
  );

  it.skipIf(!isThere(name))(
    `the lines of a devnet lead through payments and the life of a channel (needs ${name})`,
    () => {
      const { answers, complaints } = of(lines);
      expect(complaints).not.toMatch(COMPLAINT);
      expect(answers).not.toContain('"errors"');
      const all = answers.trim().split('\n');
      const [tokens] = all.filter((line) => !line.startsWith('# '));
      expect(tokens).toContain(ready.tokens[0]?.address);
      expect(all.filter((line) => line.startsWith('# '))).toHaveLength(15);
      expect(all).toHaveLength(30);
      const [balance = '', , channels, , closed, , echoes] = all.reverse();
      expect(BigInt(JSON.parse(balance).result)).toBeGreaterThan(10n ** 24n - 100n * TOKENS);
      expect(channels).toBe('[]');
      expect(closed).toContain('"state":"closed"');
      expect(echoes).toContain('"identifier":"108"');
    },
  );
});
