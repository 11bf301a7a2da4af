/** Node processes for benchmarks: keys and settings in a folder, and `sluice node` started on them. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DevnetChain } from '../../src/devnet/chain/set-up-chain.ts';
import { contractsFileText } from '../../src/host/contracts-file.ts';
import { LIGHT_COST } from '../../src/signer/key-file.ts';
import { writeKeystore } from '../../src/signer/keystore.ts';
import { createSigner } from '../../src/signer/signer.ts';

const PASSWORD = 'bench';

export type Key = { privateKey: Uint8Array; signer: ReturnType<typeof createSigner> };
export type NodeFiles = { url: string; args: readonly string[]; stateFolder: string };
export type NodeProcess = Awaited<ReturnType<typeof startNodeProcess>>;

export function drawKey(): Key {
  const privateKey = randomBytes(32);
  return { privateKey, signer: createSigner(privateKey) };
}

/**
 * Writes what a node process of this key needs into a folder of its own, which also keeps its notes: one key works
 * with one database. `further`: more arguments of `sluice node`.
 */
export async function writeNodeFiles(
  folder: string,
  { chain, key, further = [] }: { chain: DevnetChain; key: Key; further?: readonly string[] },
): Promise<NodeFiles> {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  writeFileSync(file('contracts.json'), contractsFileText(chain.contracts));
  writeFileSync(file('password'), PASSWORD, { mode: 0o600 });
  await writeKeystore(file('keystore'), key.privateKey, PASSWORD, { cost: LIGHT_COST });
  const url = `file:${file('node.db')}`;
  const options = {
    '--eth-rpc-endpoint': chain.rpc,
    '--contracts': file('contracts.json'),
    '--database': url,
    '--keystore-path': file('keystore'),
    '--password-file': file('password'),
    '--confirmations': '1',
    '--api-address': '127.0.0.1:0',
    '--poll-interval': '50',
    '--log-level': 'error',
  };
  const args = [...Object.entries(options).flat(), ...further];
  return { url, args, stateFolder: file('state') };
}

/** Starts `sluice node`, with further variables of the environment; resolves when it takes calls. */
export async function startNodeProcess(
  { args, stateFolder }: NodeFiles,
  env: NodeJS.ProcessEnv = {},
  program = 'dist/src/cli/main.js',
) {
  const begin = performance.now();
  const child = spawn(process.execPath, [program, 'node', ...args], {
    env: { ...process.env, ...env, XDG_STATE_HOME: stateFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const api = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^ready: \S+ (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the node has no process');
  return {
    api,
    pid,
    /** Milliseconds from the start of the process until it took calls. */
    readyMs: performance.now() - begin,
    /** Ends the process in order; resolves when it has ended. */
    async stop(): Promise<void> {
      process.off('exit', kill);
      child.kill('SIGTERM');
      await ended;
    },
    /** Kills the process; resolves when it has ended. */
    async kill(): Promise<void> {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}
