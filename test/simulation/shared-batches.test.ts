import { describe, expect, it } from 'vitest';
import type { BatchReader } from '../../src/chain/batches.ts';
import { headHeader } from '../../src/chain/headers.ts';
import { trustAt } from '../../src/chain/ranges.ts';
import { createSharedBatches } from '../../src/simulation/chain/shared-batches.ts';
import { startSimulated } from './simulated.ts';

/** Two machines of which the second's endpoint has no fault or one, as `isSecondSound` says. */
async function startReaders(isSecondSound: boolean) {
  const { chain, client, mine } = startSimulated();
  mine(3);
  const head = await headHeader(client);
  const batches = createSharedBatches(client);
  const first = batches.readerOf({ own: client, mayShare: () => true, shareOf: null });
  const second = batches.readerOf({ own: client, mayShare: () => isSecondSound, shareOf: null });
  const read = (reader: BatchReader) =>
    reader(
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
});
