/** Runs a private chain on this machine: anvil, from its npm package. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ending, startChild } from '../base/child.ts';

export type AnvilOptions = {
  /** Seconds between blocks; absent: one block per transaction. */
  blockTime?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default: a free one. */
  port?: number;
  /** Default 31337. */
  chainId?: number;
  /** How many blocks back the chain can be reorganised or read; default 256. */
  keptStates?: number;
  /** Further command line arguments, e.g. `['--no-mining']`. */
  args?: readonly string[];
};

export type Anvil = { rpc: string; pid: number; ended: Promise<Ending>; stop(): Promise<void> };

const ARCHITECTURES: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of the native program, so that the pid is that of the chain and not of a wrapper. Throws with advice when the
 * package, which only a devnet needs, is not installed. `resolverOf`: finds packages as seen from a given file.
 */
export function anvilPath(resolverOf: typeof createRequire = createRequire): string {
  const platform = `${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    const here = resolverOf(import.meta.url);
    const beside = resolverOf(here.resolve('@foundry-rs/anvil/package.json'));
    return join(beside.resolve(`@foundry-rs/anvil-${platform}/package.json`), '..', 'bin', 'anvil');
  } catch {
    throw new Error(
      `anvil, the chain of a devnet, is not installed for ${platform}: ` +
        'run "npm install @foundry-rs/anvil" where sluice is installed',
    );
  }
}

const KEPT_STATES = 256;
const LOOPBACK = '127.0.0.1';

/**
 * Starts a chain on a loopback port and waits until it answers. Its ten accounts (mnemonic "test test … junk") hold
 * 10,000 ether each. `stop()` ends it and removes its files; it also ends with this process.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-anvil-'));
  const { host = LOOPBACK, port = 0 } = options;
  const args = ['--host', host, '--port', String(port), '--cache-path', folder];
  // Without this option anvil writes the whole state of each block to the disk, for ever.
  args.push('--prune-history', String(options.keptStates ?? KEPT_STATES));
  if (options.blockTime !== undefined) args.push('--block-time', String(options.blockTime));
  if (options.chainId !== undefined) args.push('--chain-id', String(options.chainId));
  const child = await startChild({
    name: 'the chain (anvil)',
    command: anvilPath(),
    args: [...args, ...(options.args ?? [])],
  });
  const clean = () => rmSync(folder, { recursive: true, force: true });
  child.ended.then(clean);
  const [, address] = await child.line(/^Listening on (\S+)/);
  return {
    rpc: `http://${address}`,
    pid: child.pid,
    ended: child.ended,
    async stop() {
      await child.stop();
      clean();
    },
  };
}
