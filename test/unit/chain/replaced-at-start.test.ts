/** A node begins while the chain that it has followed is being replaced. */
import { expect, it } from 'vitest';
import { type Hash, ZERO_ADDRESS } from '../../../src/basics/hex.ts';
import type { ChainClient } from '../../../src/chain/client.ts';
import type { DeepReorg } from '../../../src/chain/watch/batches.ts';
import { createWatcher, type HeadStatus } from '../../../src/chain/watch/watcher.ts';
import { until } from '../../support/until.ts';

const hashOf = (fork: string, block: bigint): Hash =>
  `0x${fork.charCodeAt(0).toString(16)}${block.toString(16).padStart(62, '0')}`;

/** An endpoint on the fork `b`. `answer`: resolves when a block that is asked for by its number is told. */
function endpoint(head: bigint, answer: () => Promise<void>): ChainClient {
  const blockOf = (number: bigint) => ({
    number,
    hash: hashOf('b', number),
    parentHash: hashOf('b', number - 1n),
    timestamp: number,
    logsBloom: `0x${'00'.repeat(256)}`,
    transactions: [],
  });
  const getBlock = async ({ blockNumber }: { blockNumber?: bigint } = {}) => {
    if (blockNumber === undefined) return blockOf(head);
    await answer();
    return blockOf(blockNumber);
  };
  return { getBlock } as unknown as ChainClient;
}

function watch(client: ChainClient) {
  const statuses: HeadStatus[] = [];
  const reorgs: DeepReorg[] = [];
  const watcher = createWatcher({
    client,
    registry: ZERO_ADDRESS,
    secretRegistry: ZERO_ADDRESS,
    confirmations: 5n,
    // Followed on the fork `a`. The fork `b` has just become as long.
    start: { block: 100n, hash: hashOf('a', 100n) },
    onBatch: () => {},
    onHead: (status) => void statuses.push(status),
    onDeepReorg: (reorg) => void reorgs.push(reorg),
    onFailure: () => {},
    pollIntervalMs: 5,
  });
  watcher.start();
  return { watcher, statuses, reorgs };
}

it('is never ready on a chain that has replaced its last block', async () => {
  const { watcher, statuses, reorgs } = watch(endpoint(100n, async () => {}));
  await until(() => reorgs.length > 0, 'the replaced block is found');
  expect(statuses.map(({ status }) => status)).not.toContain('ready');
  await watcher.stop();
});

it('is not ready as long as the endpoint does not tell whether it has', async () => {
  let asked = 0;
  const { watcher, statuses } = watch(
    endpoint(102n, async () => {
      asked += 1;
      throw new Error('no answer');
    }),
  );
  await until(() => asked > 2, 'it is asked again and again');
  await watcher.stop();
  expect(statuses.map(({ status }) => status)).not.toContain('ready');
});
