/** A payer and a payee with one channel, as processes over real chain, broker and disk, and the slow line between them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { startNats } from '../support/nats.ts';
import { tokenOf } from './filled-database.ts';
import { drawKey, startNodeProcess, writeNodeFiles } from './node-process.ts';
import { openChannel } from './open-channel.ts';
import { startSlowLine } from './slow-line.ts';

export type SlowNetwork = Awaited<ReturnType<typeof startSlowNetwork>>;

/** `callers`: how many calls each API takes at a time. */
export async function startSlowNetwork(callers: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, broker] = await Promise.all([startAnvil(), startNats()]);
  const line = await startSlowLine(broker.url);
  const keys = { payer: drawKey(), payee: drawKey() };
  const owners = [keys.payer, keys.payee].map(({ signer }) => signer.address);
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners,
    blockTime: 1,
    contracts: {},
    say: () => {},
  });
  const further = ['--nats', line.url, '--api-concurrency', String(callers)];
  const start = async (name: keyof typeof keys) =>
    startNodeProcess(await writeNodeFiles(join(folder, name), { chain, key: keys[name], further }));
  const payee = await start('payee');
  const payer = await start('payer');
  const { address: token } = tokenOf({ chain });
  const target = keys.payee.signer.address;
  await openChannel(payer.api, { token, partner: target });
  return {
    line,
    payer,
    payee,
    path: `/payments/${token}/${target}`,
    async stop(): Promise<void> {
      await Promise.all([payer.stop(), payee.stop()]);
      await line.stop();
      await Promise.all([broker.stop(), anvil.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
