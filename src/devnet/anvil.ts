/** A chain of one's own on this machine: anvil, from its npm package. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ending, startChild } from './child.ts';

export type AnvilOptions = {
  /** Seconds between blocks; absent: one block per transaction. */
  blockTime?: number;
  /** Default: a free one. */
  port?: number;
  /** Default 31337. */
  chainId?: number;
  /** Further command line arguments, e.g. `['--no-mining']`. */
  /** Blocks back to which the chain can be reorganised, or asked about; by default 256. */
  keptStates?: number;
  args?: readonly string[];
};

export type Anvil = { rpc: string; pid: number; ended: Promise<Ending>; stop(): Promise<void> };

const ARCHITECTURES: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of the native program, so that the pid is the chain's own and not a wrapper's. Throws with what to do
 * where the package, an optional one, is not installed. `resolverOf`: finds packages as that file would.
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
        'run "npm install --include=optional", or "npm install @foundry-rs/anvil" beside the package',
    );
  }
}

const KEPT_STATES = 256;

/**
 * Starts a chain on a loopback port and waits until it answers. Its ten accounts (mnemonic
 * "test test … junk") hold 10,000 ether each. `stop()` ends it and removes its files; a process that
 * exits without calling it takes the chain along.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-anvil-'));
  const args = ['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--cache-path', folder];
  // Left alone it writes the whole state of each block to the disk, for ever.
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
