/** Runs the commands of docs/two-machines.md, with the chain, the keys and the contracts of docs/own-node.md. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownMachine } from '../support/own-machine.ts';
import { openShell, type Shell } from '../support/shell.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const pageOf = (name: string) => readFileSync(join(top, 'docs', name), 'utf8');
const blocksOf = (page: string) =>
  [...page.matchAll(/^```(?:sh)?\n(.*?)^```$/gms)].map(([, text = '']) => text);
const [start = '', waiting = '', chain = '', keys = '', gas = '', contracts = ''] = blocksOf(
  pageOf('own-node.md').replace('--block-time 1', '--block-time 0.25'),
);
/** The page's machines are this one. */
const [certificate = '', broker = '', runBroker = '', doctor = '', node = ''] = blocksOf(
  pageOf('two-machines.md')
    .replaceAll('https://rpc.example', 'http://127.0.0.1:8545')
    .replaceAll('broker.example', 'localhost'),
);
const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;

const machine = ownMachine();

let home: string;
let shell: Shell;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sluice-two-machines-'));
  const environment = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  shell = openShell({ before: machine, environment });
  await shell.run(`cd '${top}'`);
});
afterAll(async () => {
  await shell?.run('kill $(jobs -p) 2> /dev/null; wait; true').finally(shell.end);
  rmSync(home, { recursive: true, force: true });
});

/** What a program says beside its answers is for people. */
const paste = (block: string) => shell.run(`{\n${block}\n} 2>> "$HOME/said"`, 60_000);
const inBackground = (block: string, log: string) => paste(`{ ${block.trim()} ; } > ${log} 2>&1 &`);

it.skipIf(!hasOpenssl || machine.length === 0)(
  'a node reaches a broker that has a password and a certificate of its own (needs openssl, and unshare for the default ports)',
  async () => {
    for (const block of [start, waiting, chain, keys, gas, contracts, certificate])
      await paste(block);
    await paste('kill $BROKER_PID; wait $BROKER_PID || true');
    const folder = join(home, 'sluice-try');
    writeFileSync(join(folder, 'nats.conf'), broker);
    writeFileSync(join(folder, 'broker-password'), 'alice-secret\n', { mode: 0o600 });
    await inBackground(runBroker, 'tls-broker.log');
    await paste("until grep -q 'Server is ready' tls-broker.log; do sleep 0.1; done");
    const said = await paste(doctor);
    expect(said).toMatch(/^ok +broker +reachable$/m);
    expect(said).toMatch(/^skipped +disk +there is nothing to look at/m);
    expect(await paste(`${doctor.replace(' --nats-ca ca.pem', '').trim()} || true`)).toMatch(
      /^failed +broker .*certificate.*\n.*--nats-ca/m,
    );
    await inBackground(node, 'alice/node.log');
    await paste("until grep -q '^ready' alice/node.log; do sleep 0.2; done");
    expect(await paste('curl -s http://127.0.0.1:5001/readyz')).toContain('"ready"');
    writeFileSync(join(folder, 'broker-password'), 'a wrong one\n', { mode: 0o600 });
    expect(await paste(`${doctor.trim()} || true`)).toContain('check --nats-user and');
  },
  240_000,
);
