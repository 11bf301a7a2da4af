/**
 * Where the time of a payment goes for a caller that is alone: payer and payee are processes that note when they pass each
 * of their fault points. The next payment waits until the one before has left nothing behind.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { startNats } from '../support/nats.ts';
import { createCaller } from './callers.ts';
import { tokenOf } from './filled-database.ts';
import { drawKey, startNodeProcess, writeNodeFiles } from './node-process.ts';
import { openChannel } from './open-channel.ts';
import { machine } from './report.ts';
import { microsecondsNow, readNoted, traceTable, type Window } from './trace-table.ts';

const WARM_UP = 1_000;
const TRACED = 200;
const PAUSE_MS = 20;
const PROGRAM = 'dist/test/bench/trace-node.js';

type Key = ReturnType<typeof drawKey>;

async function payments(api: string, path: string): Promise<Window[]> {
  const caller = createCaller(api);
  const pay = async () => {
    const { status, body } = await caller.call('POST', path, { amount: '1' });
    if (status !== 200) throw new Error(`payment answered ${status}: ${body}`);
  };
  for (let paid = 0; paid < WARM_UP; paid++) await pay();
  const windows: Window[] = [];
  await delay(PAUSE_MS);
  while (windows.length < TRACED) {
    const begin = microsecondsNow();
    await pay();
    const answered = microsecondsNow();
    await delay(PAUSE_MS);
    windows.push({ begin, answered, end: microsecondsNow() });
  }
  caller.close();
  return windows;
}

export async function printTrace(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, broker] = await Promise.all([startAnvil(), startNats()]);
  const payerKey = drawKey();
  const payeeKey = drawKey();
  const owners = [payerKey, payeeKey].map(({ signer }) => signer.address);
  const silent = { blockTime: 1, contracts: {}, say: () => {} };
  const chain = await setUpChain({ rpc: anvil.rpc, owners, ...silent });
  const fileOf = (name: string) => join(folder, `${name}.json`);
  const start = async (name: string, key: Key) => {
    const further = ['--nats', broker.url];
    const files = await writeNodeFiles(join(folder, name), { chain, key, further });
    return startNodeProcess(files, { TRACE_FILE: fileOf(name) }, PROGRAM);
  };
  const payee = await start('payee', payeeKey);
  const payer = await start('payer', payerKey);
  const { address: token } = tokenOf({ chain });
  const target = payeeKey.signer.address;
  await openChannel(payer.api, { token, partner: target });
  const windows = await payments(payer.api, `/payments/${token}/${target}`);
  await Promise.all([payer.stop(), payee.stop()]);
  await Promise.all([broker.stop(), anvil.stop()]);
  const processes = ['payer', 'payee'].map((name) => [name, readNoted(fileOf(name))] as const);
  rmSync(folder, { recursive: true, force: true });
  console.log(machine());
  console.table(traceTable(new Map(processes), windows));
}
