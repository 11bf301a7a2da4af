import { describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import type { BatchReader } from '../../src/chain/watch/batches.ts';
import { headHeader } from '../../src/chain/watch/headers.ts';
import { trustAt } from '../../src/chain/watch/ranges.ts';
import { createSharedBatches } from '../../src/simulation/chain/shared-batches.ts';
import { SETTLE_TIMEOUT, type Simulated, startSimulated } from './simulated.ts';

/** Reads blocks 1 to 2. */
async function readWith(reader: BatchReader, { chain, client }: Simulated) {
  const head = await headHeader(client);
  return reader(
    { block: 0n, hash: null },
    {
      registry: chain.contracts.tokenNetworkRegistryAddress,
      secretRegistry: chain.contracts.secretRegistryAddress,
      tokenNetworks: [],
      fromBlock: 1n,
      toBlock: 2n,
      ...trustAt(head.number, 1n, true),
      head,
    },
  );
}

/** Two machines of which the second's endpoint has no fault or one, as `isSecondSound` says. */
async function startReaders(isSecondSound: boolean) {
  const simulated = startSimulated();
  const { client, mine } = simulated;
  mine(3);
  const batches = createSharedBatches(client);
  const first = batches.readerOf({ own: client, mayShare: () => true, shareOf: null });
  const second = batches.readerOf({ own: client, mayShare: () => isSecondSound, shareOf: null });
  const read = (reader: BatchReader) => readWith(reader, simulated);
  return { first: await read(first), second: await read(second) };
}

describe('what many machines read of one chain', () => {
  it('is read once for all whose endpoints have no fault', async () => {
    const { first, second } = await startReaders(true);
    expect(second).toBe(first);
    expect(first).toMatchObject({ toBlock: 2n, logs: [{ type: 'chain.tokenNetworkCreated' }] });
  });

  it('is read apart by a machine whose endpoint has a fault', async () => {
    const { first, second } = await startReaders(false);
    expect(second).not.toBe(first);
    expect(second).toEqual(first);
  });

  it('can be changed by none of them', async () => {
    const { first } = await startReaders(true);
    if ('foundHash' in first) throw new Error('no blocks were replaced');
    expect([first.logs, ...first.logs].every(Object.isFrozen)).toBe(true);
  });

  it('is shared out among those who keep no copy of the network', async () => {
    const simulated = startSimulated();
    const { chain, client, mine, token, own, partner, third } = simulated;
    const opening = { depositA: 7n, depositB: 3n, settleTimeout: SETTLE_TIMEOUT };
    const pairs = [
      [own.address, partner.address],
      [partner.address, third.address],
      [own.address, third.address],
    ] as const;
    chain.openChannels(
      token.network ?? token.address,
      pairs.map((pair) => ({ pair, ...opening })),
    );
    mine(3);
    const batches = createSharedBatches(client);
    const read = async (shareOf: Address | null) => {
      const reader = batches.readerOf({ own: client, mayShare: () => true, shareOf });
      const batch = await readWith(reader, simulated);
      if ('foundHash' in batch) throw new Error('no blocks were replaced');
      return batch.logs;
    };
    const channelsOf = async (node: Address) =>
      (await read(node)).flatMap((log) => ('channelId' in log ? [Number(log.channelId)] : []));
    expect(await channelsOf(third.address)).toEqual([2, 2, 2, 3, 3, 3]);
    // The last log of a block tells everybody that the block is whole.
    expect(await channelsOf(partner.address)).toEqual([1, 1, 1, 2, 2, 2, 3]);
    const all = await read(null);
    expect(all).toHaveLength(10);
    expect(await read(partner.address)).toEqual(
      all.filter((log) => all.indexOf(log) < 7 || log === all.at(-1)),
    );
  });
});
