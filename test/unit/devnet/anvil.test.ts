import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createTestClient, http } from 'viem';
import { foundry } from 'viem/chains';
import { describe, expect, it, vi } from 'vitest';
import { anvilPath, startAnvil } from '../../../src/devnet/chain/anvil.ts';
import { startUnreachable } from '../../../src/devnet/chain/chain-entrance.ts';
import { isCallable } from '../../../src/http/blocked-ports.ts';
import { temporaryFolder } from '../../support/store.ts';

describe('the chain of a devnet', () => {
  it('is the program of the installed package', () => {
    expect(anvilPath()).toMatch(/anvil$/);
  });

  it('says what to install where the optional package is missing', () => {
    const elsewhere = () => createRequire('/nowhere/a-file.js');
    expect(() => anvilPath(elsewhere)).toThrow(
      /not installed for .*npm install @foundry-rs\/anvil/,
    );
  });

  it('listens where no browser calls, several at the same moment', async () => {
    const chains = await Promise.all([startUnreachable({}), startUnreachable({})]);
    try {
      expect(new Set(chains.map(({ rpc }) => rpc)).size).toBe(2);
      for (const { rpc } of chains) {
        expect(isCallable(Number(new URL(rpc).port))).toBe(false);
        await expect(fetch(rpc)).rejects.toThrow();
      }
    } finally {
      await Promise.all(chains.map(({ stop }) => stop()));
    }
  });

  it('leaves no file on the disk, however many blocks it makes', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    const chain = await startAnvil();
    const transport = http(chain.rpc);
    const client = createTestClient({ mode: 'anvil', chain: foundry, transport });
    try {
      await client.mine({ blocks: 2_048 });
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      expect(entries.filter((entry) => entry.isFile())).toEqual([]);
      // Within what is kept a chain can still be reorganised.
      const reorganise = { method: 'anvil_reorg', params: [200, []] } as const;
      await expect(client.transport.request(reorganise)).resolves.toBe(null);
    } finally {
      vi.unstubAllEnvs();
      await chain.stop();
    }
  });
});
