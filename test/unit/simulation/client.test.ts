import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectEndpoint } from '../../../src/simulation/chain/client.ts';

afterEach(() => void vi.restoreAllMocks());

describe('the client of a simulated endpoint', () => {
  it('asks by itself what a client of another world with the same seed was never answered', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const silent = { request: () => new Promise<never>(() => {}) };
    // So many that viem draws a new stock of identifiers: from then on all of them are equal.
    for (let n = 0; n < 600; n++) void connectEndpoint(silent, 1337).getChainId();

    const answering = connectEndpoint({ request: async () => '0x539' }, 1337);

    await expect(answering.getChainId()).resolves.toBe(1337);
  });
});
