import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type AnvilOptions = {
  /** Seconds between blocks; absent: one block per transaction. */
  blockTime?: number;
  /** Default 31337. */
  chainId?: number;
  /** Further command line arguments, e.g. `['--no-mining']`. */
  args?: readonly string[];
};

export type Anvil = { rpc: string; pid: number; stop(): Promise<void> };

const ARCHITECTURES: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Path of the native program, so that the pid is the chain's own and not a wrapper's. */
function binaryPath(): string {
  const here = createRequire(import.meta.url);
  const beside = createRequire(here.resolve('@foundry-rs/anvil/package.json'));
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  return join(beside.resolve(`${name}/package.json`), '..', 'bin', 'anvil');
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('anvil was started without a pipe');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /^Listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened`)));
  });
}

/**
 * Starts a chain on a free loopback port and waits until it answers. Its ten accounts (mnemonic
 * "test test … junk") hold 10,000 ether each. `stop()` ends it and removes its files; a test process
 * that exits without calling it takes the chain along.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-anvil-'));
  const args = ['--host', '127.0.0.1', '--port', '0', '--cache-path', folder];
  if (options.blockTime !== undefined) args.push('--block-time', String(options.blockTime));
  if (options.chainId !== undefined) args.push('--chain-id', String(options.chainId));
  const child = spawn(binaryPath(), [...args, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const rpc = await listening(child);
  const { pid } = child;
  if (pid === undefined) throw new Error('anvil has no process id');
  return {
    rpc,
    pid,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
