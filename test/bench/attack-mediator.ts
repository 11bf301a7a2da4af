/** An honest mediator as a process, of which is known what held its event loop. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../../src/basics/hex.ts';
import { createCaller } from './callers.ts';
import { tokenOf } from './filled-database.ts';
import { startNodeProcess, writeNodeFiles } from './node-process.ts';

/** A call may wait for a payment that never ends. */
const CALLS_AT_A_TIME = '8';
const HOLDS = new URL('./loop-holds.js', import.meta.url).href;

type Wanted = Parameters<typeof writeNodeFiles>[1];

/** `home`: its folder. */
export async function startMediator(home: string, { chain, key, further = [] }: Wanted) {
  const calls = ['--api-concurrency', CALLS_AT_A_TIME];
  const files = await writeNodeFiles(home, { chain, key, further: [...calls, ...further] });
  const holdsFile = join(home, 'holds');
  writeFileSync(holdsFile, '');
  const env = { NODE_OPTIONS: `--import=${HOLDS}`, SLUICE_BENCH_HOLDS: holdsFile };
  const node = await startNodeProcess(files, env);
  const { address: token } = tokenOf({ chain });
  return {
    ...node,
    address: key.signer.address,
    /** Asks it to pay; it is not waited for. */
    askToPay(to: Address, amount: bigint): void {
      const body = { amount: String(amount) };
      const caller = createCaller(node.api);
      caller.call('POST', `/payments/${token}/${to}`, body).catch(() => null);
    },
    /** Balance of its side of the channel with this partner. */
    async balanceWith(partner: Address): Promise<bigint> {
      const caller = createCaller(node.api);
      const { body } = await caller.call('GET', `/channels/${token}/${partner}`);
      caller.close();
      return BigInt(/"balance":"?(\d+)/.exec(body)?.[1] ?? '0');
    },
    /** What held its event loop since this moment, in milliseconds. */
    holdsSince: (moment: number) =>
      readFileSync(holdsFile, 'utf8')
        .split('\n')
        .map((line) => line.split(' ').map(Number))
        .map(([at = 0, wallMs = 0, cpuMs = 0]) => ({ at, wallMs, cpuMs }))
        .filter(({ at }) => at > moment),
  };
}
