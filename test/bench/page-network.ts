/**
 * Nodes whose pages are looked at, as processes over real chain, broker and disk. Each has one channel in which it has
 * made all of its payments, and further channels with partners that are away.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { findNatsServer, startBroker } from '../../src/devnet/network/broker.ts';
import { load } from './callers.ts';
import { addChannels, openFilled, tokenOf } from './filled-database.ts';
import { drawKey, startNodeProcess, writeNodeFiles } from './node-process.ts';
import { openChannel } from './open-channel.ts';

export type Size = { channels: number; payments: number };
export type PageNetwork = Awaited<ReturnType<typeof startPageNetwork>>;
export type PageNode = PageNetwork['nodes'][number];

const CALLERS = 64;
/** Numbers of channels that the chain of the benchmark never reaches. */
const FIRST_ID = 1_000_000n;

/** One node of each of these sizes; all of them pay the same payee. */
export async function startPageNetwork(sizes: readonly Size[]) {
  const command = findNatsServer();
  if (command === null) throw new Error('this benchmark needs a nats-server');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, broker] = await Promise.all([startAnvil(), startBroker(command)]);
  const payee = { name: 'payee', key: drawKey() };
  const payers = sizes.map((size, at) => ({ name: `payer-${at}`, key: drawKey(), size }));
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners: [payee, ...payers].map(({ key }) => key.signer.address),
    blockTime: 1,
    contracts: {},
    say: () => {},
  });
  const further = ['--wallet', '--nats', broker.url, '--api-concurrency', String(CALLERS)];
  const partOf = async ({ name, key }: typeof payee) => {
    const files = await writeNodeFiles(join(folder, name), { chain, key, further });
    return { files, node: await startNodeProcess(files) };
  };
  const { node: target } = await partOf(payee);
  const partner = payee.key.signer.address;
  const { address: token } = tokenOf({ chain });
  const path = `/payments/${token}/${partner}`;

  async function filled({ size, ...payer }: (typeof payers)[number]) {
    const { files, node: bare } = await partOf(payer);
    await openChannel(bare.api, { token, partner });
    await load(bare.api, path, { amount: '1' }, { callers: CALLERS, total: size.payments });
    await bare.stop();
    const store = openFilled(files.url, { chain, own: payer.key.signer.address });
    addChannels(
      store,
      { chain, own: payer.key.signer.address },
      { count: size.channels - 1, firstId: FIRST_ID },
    );
    store.close();
    const node = await startNodeProcess(files);
    return {
      ...{ size, node, files },
      /** The channel that it pays over, as its inspector calls it. */
      channel: await firstChannel(node.api, partner),
      pay: (total: number, callers: number) =>
        load(node.api, path, { amount: '1' }, { callers, total }),
    };
  }

  const nodes: Awaited<ReturnType<typeof filled>>[] = [];
  for (const payer of payers) nodes.push(await filled(payer));
  return {
    nodes,
    async end(): Promise<void> {
      for (const { node } of nodes) await node.stop();
      await target.stop();
      await broker.stop();
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The actor of the node's channel with this partner. */
async function firstChannel(api: string, partner: string): Promise<string> {
  const answer = await fetch(`${api}/inspector/actors?machine=channel&partner=${partner}`);
  const actor = /"actor":"([^"]+)"/.exec(await answer.text())?.[1];
  if (actor === undefined) throw new Error('the node has no channel with the payee');
  return actor;
}
