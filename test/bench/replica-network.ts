/** A payer and a payee with one channel, whose databases go to streams or not, over real chain, brokers and disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { type DevnetChain, setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { addChannels, openFilled, tokenOf } from './filled-database.ts';
import { drawKey, type Key, startNodeProcess, writeNodeFiles } from './node-process.ts';
import { openChannel } from './open-channel.ts';
import { startCluster } from './stream-cluster.ts';

/** Numbers of channels that the chain of the benchmark never reaches. */
const FIRST_ID = 1_000_000n;

export type Kept = 'nowhere' | 'R1' | 'R3';
export type Surroundings = Awaited<ReturnType<typeof startSurroundings>>;
export type Couple = Awaited<ReturnType<Surroundings['startCouple']>>;

/** `couples`: how many pairs of nodes will be started. */
export async function startSurroundings(couples: number, callers: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, cluster] = await Promise.all([startAnvil(), startCluster(folder)]);
  const keys = Array.from({ length: couples }, () => ({ payer: drawKey(), payee: drawKey() }));
  const owners = keys
    .flatMap(({ payer, payee }) => [payer, payee])
    .map(({ signer }) => signer.address);
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners,
    blockTime: 1,
    contracts: {},
    say: () => {},
  });
  const shared = ['--nats', cluster.url, '--api-concurrency', String(callers)];
  const { address: token } = tokenOf({ chain });
  let started = 0;

  async function filesOf(name: string, key: Key, kept: Kept) {
    if (kept !== 'nowhere') await cluster.create(name, kept === 'R3' ? 3 : 1);
    const further = kept === 'nowhere' ? shared : [...shared, '--replicate', name];
    return writeNodeFiles(join(folder, name), { chain, key, further });
  }

  return {
    folder,
    chain,
    cluster,
    shared,
    callers,
    token,
    /** `absent`: further channels of the payer, whose partners are away. */
    async startCouple(kept: Kept, absent = 0) {
      const number = started++;
      const pair = keys[number];
      if (pair === undefined) throw new Error('there is no key for another couple');
      const names = { payer: `payer-${number}`, payee: `payee-${number}` };
      const target = pair.payee.signer.address;
      const payee = await startNodeProcess(await filesOf(names.payee, pair.payee, kept));
      // The channels are written before the database is replicated: the stream would not have them.
      if (absent > 0) {
        const files = await filesOf(names.payer, pair.payer, 'nowhere');
        const first = await startNodeProcess(files);
        await openChannel(first.api, { token, partner: target });
        await first.stop();
        fill(files.url, chain, pair.payer, absent);
      }
      const payer = await startNodeProcess(await filesOf(names.payer, pair.payer, kept));
      if (absent === 0) await openChannel(payer.api, { token, partner: target });
      return {
        payer,
        payee,
        payerKey: pair.payer,
        payeeKey: pair.payee,
        stream: names.payer,
        target,
        path: `/payments/${token}/${target}`,
        async stop(): Promise<void> {
          await Promise.all([payer.stop(), payee.stop()]);
        },
      };
    },
    async stop(): Promise<void> {
      await cluster.stop();
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fill(url: string, chain: DevnetChain, key: Key, count: number): void {
  const owner = { chain, own: key.signer.address };
  const store = openFilled(url, owner);
  addChannels(store, owner, { count, firstId: FIRST_ID });
  store.close();
}
