/** Two nodes with a channel that are about to be flooded, and the stranger who does it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from 'nats';
import * as v from 'valibot';
import { type Address, isHexOf } from '../../src/basics/hex.ts';
import { connectNats, subjectOf } from '../../src/partner/nats.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { startNats } from '../support/nats.ts';
import { createCaller } from './callers.ts';
import type { Victim } from './flood-kinds.ts';

const address = v.custom<Address>((value) => isHexOf(value, 20));
const ready = v.object({
  chain: v.object({ chainId: v.number() }),
  contracts: v.object({ token_network_registry_address: address }),
  tokens: v.tupleWithRest([v.object({ address })], v.unknown()),
  nodes: v.tuple([
    v.object({ address, api: v.string(), pid: v.number() }),
    v.object({ address, api: v.string(), pid: v.number() }),
  ]),
});

/** Payloads of the partner that are recorded, to be sent again. */
const RECORDED = 500;

export type FloodNetwork = Awaited<ReturnType<typeof startFloodNetwork>>;

/** `payer` has a channel with `payee`, both processes; `stop` ends everything. */
export async function startFloodNetwork(callers: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const readyFile = join(folder, 'ready.json');
  const nats = await startNats();
  const devnet = spawn(
    process.execPath,
    [
      'dist/src/cli/main.js',
      'devnet',
      '--nodes',
      '2',
      '--processes',
      '--api-port',
      '0',
      '--no-services',
      '--open',
      '--nats',
      nats.url,
      '--log-level',
      'error',
      '--api-concurrency',
      String(callers),
      '--ready-file',
      readyFile,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  process.once('exit', () => devnet.kill('SIGINT'));
  while (!existsSync(readyFile)) {
    if (devnet.exitCode !== null) throw new Error('the devnet ended before it was ready');
    await delay(50);
  }
  const { chain, contracts, tokens, nodes } = v.parse(
    ready,
    JSON.parse(readFileSync(readyFile, 'utf8')),
  );
  const place = {
    chainId: BigInt(chain.chainId),
    tokenNetworkRegistry: contracts.token_network_registry_address,
  };
  return {
    folder,
    nats,
    place,
    token: tokens[0].address,
    payer: nodes[0],
    payee: nodes[1],
    async stop() {
      devnet.kill('SIGINT');
      await once(devnet, 'exit');
      await nats.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The payer, its keys, and what its partner sends it while it pays. */
export async function victimOf(network: FloodNetwork): Promise<Victim> {
  const { nats, place, payer, payee, token } = network;
  const asking = connectNats({
    ...place,
    url: nats.url,
    address: `0x${'01'.repeat(20)}`,
    sign: null,
    recover,
  });
  const keyOf = async (of: Address): Promise<Uint8Array> => {
    const seen = await asking.presence(of);
    if (seen.state === 'reachable') return seen.publicKey;
    await delay(100);
    return keyOf(of);
  };
  const keys = { publicKey: await keyOf(payer.address), partnerKey: await keyOf(payee.address) };
  await asking.close();
  const listening = await connect({ servers: nats.url });
  const recorded: Uint8Array[] = [];
  listening.subscribe(subjectOf(place, payer.address), {
    callback: (_error, { data }) => void recorded.push(data.slice()),
  });
  await listening.flush();
  const caller = createCaller(payer.api);
  while (recorded.length < RECORDED)
    await caller.call('POST', `/payments/${token}/${payee.address}`, { amount: '1' });
  caller.close();
  await listening.close();
  return { ...keys, place, address: payer.address, recorded };
}

/** Writes the commands to the broker until it is stopped; answers how many bytes it got rid of. */
export function startFlooder(network: FloodNetwork, bytesPerSecond: number, commands: Buffer) {
  const file = join(network.folder, 'commands');
  writeFileSync(file, commands);
  const program = fileURLToPath(new URL('./flooder.js', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    [program, String(network.nats.port), String(bytesPerSecond), file],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const closed = once(child, 'close');
  return {
    async stop(): Promise<number> {
      child.kill('SIGTERM');
      await closed;
      return Number(said);
    },
  };
}
