/** Runs the commands of docs/own-node.md as they are written, on their ports. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectFree, ownMachine } from '../support/own-machine.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { until } from '../support/until.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(top, 'docs', 'own-node.md'), 'utf8');
/** With blocks that come faster, for nobody reads in between; `SLUICE_CHAIN`: another chain's command in the place of anvil's. */
const chain = process.env['SLUICE_CHAIN'];
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) =>
  text
    .replace(/^.*\banvil" .*?(?= & )/m, (anvil) => chain ?? anvil)
    .replace('--block-time 1', '--block-time 0.25'),
);

const PORTS = [8545, 4222, 5001, 5002];

let home: string;
let shell: Shell;

beforeEach(async () => {
  const machine = ownMachine();
  if (machine.length === 0) await expectFree(PORTS);
  home = mkdtempSync(join(tmpdir(), 'sluice-own-node-'));
  const environment = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  shell = openShell({ before: machine, environment });
  await shell.run(`cd '${top}'`);
});
afterEach(async () => {
  await shell?.run('kill $(jobs -p) 2> /dev/null; wait; true').finally(shell.end);
  rmSync(home, { recursive: true, force: true });
});

/** What the program says beside its answers is for people. */
const paste = (block: string) => shell.run(`{\n${block}\n} 2>> "$HOME/said"`, 60_000);

it('leads from nothing to a payment between two nodes', async () => {
  const [pay = '', end = ''] = blocks.slice(-2);
  for (const block of blocks.slice(0, -2)) await paste(block);
  const output = await paste(pay);
  expect(output).toContain('"total_deposit":"1000"');
  expect(output).toContain('"event":"EventPaymentReceivedSuccess","amount":"7"');
  await paste(end);
  // Asked of the system: a shell may say that a job has ended, and the program that it ran goes on.
  const open = (port: number) =>
    `(exec 3<> /dev/tcp/127.0.0.1/${port}) 2> /dev/null && echo ${port}`;
  const listening = () => shell.run(`${PORTS.map(open).join('; ')}; true`);
  await until(async () => (await listening()).trim() === '', 'each of them has ended');
}, 240_000);

it('waits for nothing that cannot come, and shows why', async () => {
  const taken = `require('node:net').createServer().listen(5001, '127.0.0.1', () => console.log('taken'))`;
  await shell.run(`node -e "${taken}" > "$HOME/taken" &
    until grep -q taken "$HOME/taken"; do sleep 0.1; done`);
  const [nodes = ''] = blocks.filter((block) => block.startsWith('start() {'));
  for (const block of blocks.slice(0, blocks.indexOf(nodes))) await paste(block);
  const begun = performance.now();
  expect(await paste(nodes)).toMatch(
    /^in vain: grep -q '\^ready' alice\/node\.log\n.*port 5001 of 127\.0\.0\.1 is taken/s,
  );
  expect(performance.now() - begun).toBeLessThan(40_000);
}, 240_000);
