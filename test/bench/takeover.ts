/**
 * How long callers wait when a node is killed and a standby takes its place: two machines with one key and many
 * channels, of which now one and now the other is killed, over a stream that three servers keep. From the kill, with the
 * order to take over given at once, to the first payment.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { replicaKeys } from '../../src/host/open-replica.ts';
import { askStandbys } from '../../src/replica/desk.ts';
import { createCaller } from './callers.ts';
import { type NodeFiles, writeNodeFiles } from './node-process.ts';
import { type Couple, type Surroundings, startSurroundings } from './replica-network.ts';
import { report, round } from './report.ts';

const CHANNELS = 1_000;
const CALLERS = 64;
const PATIENCE_MS = 30_000;

function numberAfter(flag: string, usual: number): number {
  const at = process.argv.indexOf(flag);
  return at < 0 ? usual : Number(process.argv[at + 1]);
}

type Waiting = { pid: number; ready: Promise<string>; kill(): Promise<void> };

/** Starts `sluice node --standby`; resolves when it follows. */
async function startStandby({ args, stateFolder }: NodeFiles): Promise<Waiting> {
  const child = spawn(process.execPath, ['dist/src/cli/main.js', 'node', ...args, '--standby'], {
    env: { ...process.env, XDG_STATE_HOME: stateFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const said = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        const found = pattern.exec(line);
        if (found !== null) resolve(found[1] ?? '');
      });
    });
  const ready = said(/^ready: \S+ (\S+)$/);
  await Promise.race([
    said(/^standby: (.*)$/),
    ended.then(() => Promise.reject(new Error('the standby ended'))),
  ]);
  const { pid } = child;
  if (pid === undefined) throw new Error('the standby has no process');
  return {
    pid,
    ready,
    async kill() {
      process.off('exit', end);
      end();
      await ended;
    },
  };
}

function askWith({ cluster, chain }: Surroundings, { stream: name, payerKey }: Couple) {
  const { signer } = payerKey;
  const stamp = {
    chainId: chain.chainId,
    tokenNetworkRegistry: chain.contracts.tokenNetworkRegistryAddress,
    ownAddress: signer.address,
  };
  const inbox = signer.address.toLowerCase();
  const options = { url: cluster.url, name, inbox, report() {}, keys: replicaKeys(signer, stamp) };
  return (ask: 'status' | 'takeover', epoch: number) => askStandbys(options, { ask, epoch });
}

async function pays(api: string, path: string): Promise<boolean> {
  const caller = createCaller(api);
  try {
    return (await caller.call('POST', path, { amount: '1' })).status === 200;
  } catch {
    return false;
  } finally {
    caller.close();
  }
}

async function main(kills: number): Promise<void> {
  const surroundings = await startSurroundings(1, CALLERS);
  const waits: number[] = [];
  try {
    const couple = await surroundings.startCouple('R3', CHANNELS);
    const ask = askWith(surroundings, couple);
    const machines = await Promise.all(
      ['first', 'second'].map((name) => machineFiles(surroundings, couple, name)),
    );
    let kill = () => couple.payer.stop();
    for (let number = 0; number < kills; number++) {
      const files = machines[number % 2];
      if (files === undefined) throw new Error('there are two machines');
      const standby = await startStandby(files);
      const epoch = await epochOf(ask);
      await kill();
      const begin = performance.now();
      const asked = ask('takeover', epoch);
      const api = await standby.ready;
      while (!(await pays(api, couple.path)) && performance.now() - begin < PATIENCE_MS)
        await delay(10);
      waits.push(performance.now() - begin);
      await asked;
      kill = standby.kill;
    }
    await kill();
    await couple.payee.stop();
  } finally {
    await surroundings.stop();
  }
  waits.sort((a, b) => a - b);
  const at = (part: number) => round((waits[Math.floor(part * (waits.length - 1))] ?? 0) / 1_000);
  report('takeover', [
    { metric: 'takeovers', value: waits.length, unit: '' },
    { metric: 'until the first payment: median', value: at(0.5), unit: 's', reference: 3 },
    { metric: 'until the first payment: longest', value: at(1), unit: 's', reference: 3 },
  ]);
}

/** The epoch of the owner, as soon as the standby knows it. */
async function epochOf(ask: ReturnType<typeof askWith>): Promise<number> {
  for (;;) {
    const [standby] = await ask('status', 0);
    if (standby?.epoch != null) return standby.epoch;
    await delay(200);
  }
}

/** A machine with the payer's key, and a database of its own. */
function machineFiles(
  { folder, chain, shared }: Surroundings,
  { payerKey: key, stream }: Couple,
  name: string,
): Promise<NodeFiles> {
  const further = [...shared, '--replicate', stream];
  return writeNodeFiles(join(folder, `${stream}-${name}`), { chain, key, further });
}

await main(numberAfter('--kills', 50));
