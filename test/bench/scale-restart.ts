/** The restart of a node process, by the number of open channels in its database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { fillNew } from './filled-database.ts';
import { drawKey, writeNodeFiles } from './node-process.ts';
import { type Restarted, restarted } from './restarted.ts';

/** `reading`: CPU milliseconds that the bare reading of the rows takes. */
export type RestartRow = Restarted & { channels: number; reading: number };

/** One start for each of these numbers of channels, one after the other. */
export async function measureRestarts(sizes: readonly number[]): Promise<RestartRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const anvil = await startAnvil();
  try {
    const key = drawKey();
    const own = key.signer.address;
    const chain = await setUpChain({
      rpc: anvil.rpc,
      owners: [own],
      blockTime: null,
      contracts: {},
      say: () => {},
    });
    const rows: RestartRow[] = [];
    for (const channels of sizes) {
      const files = await writeNodeFiles(join(folder, `node-${channels}`), { chain, key });
      const reading = fillNew(files.url, { chain, own }, channels);
      rows.push({ channels, reading, ...(await restarted(files)) });
    }
    return rows;
  } finally {
    await anvil.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
