/** A node whose database goes to a stream, and a second one with the same key that waits to take its place. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/protocol/hex.ts';
import { anvilAccount } from './chain.ts';
import type { NodeProcess, StartOptions, World } from './processes.ts';
import { runProgram } from './program.ts';

const STREAM = 'alice';
export const REPLICATED: StartOptions = { options: { replicate: STREAM } };

/** Runs `sluice replica …` with the key of alice. */
export function replica(world: World, verb: string, more: readonly string[] = []) {
  const own = ['--nats', world.natsUrl, '--replicate', STREAM];
  const key = [
    ...[
      '--keystore-path',
      join(world.home('alice'), 'keys'),
      '--password-file',
      world.passwordFile,
    ],
    ...['--eth-rpc-endpoint', world.anvil.rpc, '--contracts', world.contractsFile],
  ];
  return runProgram(['replica', verb, ...own, ...(verb === 'create' ? [] : key), ...more]);
}

export async function createStream(world: World, replicas = 1): Promise<void> {
  const made = await replica(world, 'create', ['--replicas', String(replicas)]);
  if (made.code !== 0) throw new Error(made.stderr);
}

/** Starts the second machine of alice, whose key is that of the world's first node. */
export async function launchStandby(
  world: World,
  name: string,
  options: Record<string, string> = {},
): Promise<NodeProcess> {
  const home = join(world.folder, `home of ${name}`);
  mkdirSync(home, { recursive: true });
  const key = fromHex(toHex(anvilAccount(1).getHdKey().privateKey ?? new Uint8Array()));
  await world.createKey(name, key);
  return world.launch(name, {
    options: { replicate: STREAM, standby: [], ...options },
    env: { HOME: home },
  });
}
