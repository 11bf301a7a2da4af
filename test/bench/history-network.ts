/** Pairs of nodes that have paid each other so often, as processes over real chain, broker and disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { findNatsServer, startBroker } from '../../src/devnet/network/broker.ts';
import { load } from './callers.ts';
import { fillHistory } from './fill-history.ts';
import { tokenOf } from './filled-database.ts';
import { drawKey, startNodeProcess, writeNodeFiles } from './node-process.ts';
import { openChannel } from './open-channel.ts';

export type Pair = Awaited<ReturnType<typeof startHistoryNetwork>>['pairs'][number];

/** `sizes`: for each pair how many payments both of its nodes have in their histories. */
export async function startHistoryNetwork(sizes: readonly number[], callers: number) {
  const command = findNatsServer();
  if (command === null) throw new Error('this benchmark needs a nats-server');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, broker] = await Promise.all([startAnvil(), startBroker(command)]);
  const plans = sizes.map((size, at) => ({ size, at, payer: drawKey(), payee: drawKey() }));
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners: plans.flatMap(({ payer, payee }) => [payer, payee]).map((key) => key.signer.address),
    blockTime: 1,
    contracts: {},
    say: () => {},
  });
  const further = ['--nats', broker.url, '--api-concurrency', String(callers)];
  const { address: token } = tokenOf({ chain });

  async function pairOf({ size, at, payer, payee }: (typeof plans)[number]) {
    const filesOf = (name: string, key: typeof payer) =>
      writeNodeFiles(join(folder, `${name}-${at}`), { chain, key, further });
    const files = [await filesOf('payer', payer), await filesOf('payee', payee)] as const;
    const partner = payee.signer.address;
    const start = async () =>
      [await startNodeProcess(files[0]), await startNodeProcess(files[1])] as const;
    const path = `/payments/${token}/${partner}`;
    const young = await start();
    await openChannel(young[0].api, { token, partner });
    await load(young[0].api, path, { amount: '1' }, { callers: 1, total: 3 });
    for (const node of young) await node.stop();
    for (const { url } of files) fillHistory(url, size);
    return { size, path, partner, start };
  }

  async function started({ size, path, partner, start }: Awaited<ReturnType<typeof pairOf>>) {
    const nodes = await start();
    return {
      ...{ size, nodes, token, partner, path },
      pay: (total: number) => load(nodes[0].api, path, { amount: '1' }, { callers, total }),
    };
  }

  // Nothing else runs in this process while it writes rows: a node that lives meanwhile would miss the chain.
  const filled: Awaited<ReturnType<typeof pairOf>>[] = [];
  for (const plan of plans) filled.push(await pairOf(plan));
  const pairs: Awaited<ReturnType<typeof started>>[] = [];
  for (const one of filled) pairs.push(await started(one));
  return {
    pairs,
    async end(): Promise<void> {
      for (const { nodes } of pairs) for (const node of nodes) await node.stop();
      await broker.stop();
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
