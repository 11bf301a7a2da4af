import { describe, expect, it } from 'vitest';
import type { Address } from '../../../../src/basics/hex.ts';
import { createDeposits } from '../../../../src/services/pathfinding/deposits.ts';
import { OWN, PARTNER } from '../../../support/makers.ts';

type Client = Parameters<typeof createDeposits>[0]['client'];

const addressOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`;

/** `balanceAt`: what each block says; the head is at block 100, of which 95 is confirmed. */
function depositsOf(balanceAt: (block: bigint) => bigint) {
  const asked: bigint[] = [];
  let nowBlock = 100n;
  let time = 0;
  const readContract: unknown = async (call: { blockNumber: bigint }) => {
    asked.push(call.blockNumber);
    return balanceAt(call.blockNumber);
  };
  const isClient = (given: object): given is Client => 'readContract' in given;
  const client = { readContract };
  if (!isClient(client)) throw new Error('no client');
  const deposits = createDeposits({
    client,
    userDeposit: OWN,
    head: () => ({ nowBlock, confirmedBlock: nowBlock - 5n }),
    now: () => time,
  });
  return {
    ...deposits,
    asked,
    mine: () => {
      nowBlock += 1n;
    },
    wait: (ms: number) => {
      time += ms;
    },
  };
}

describe('the user deposit behind an IOU', () => {
  it('is the least of the blocks that may still become the last one', async () => {
    const { leastOf, asked } = depositsOf((block) => (block === 97n ? 7n : 50n));
    expect(await leastOf(PARTNER, 10n, false)).toEqual({ ok: true, least: 7n });
    expect([...asked].sort()).toEqual([100n, 95n, 96n, 97n, 98n, 99n]);
  });

  it('of a key that has none is asked for once in a block', async () => {
    const { leastOf, asked, mine } = depositsOf(() => 0n);
    for (let n = 0; n < 10; n++)
      expect(await leastOf(PARTNER, 10n, false)).toEqual({ ok: true, least: 0n });
    expect(asked).toEqual([100n]);
    mine();
    await leastOf(PARTNER, 10n, false);
    expect(asked).toEqual([100n, 101n]);
  });

  it('is looked at in every block when less is wanted than what was too little before', async () => {
    const { leastOf } = depositsOf((block) => (block === 97n ? 7n : 50n));
    expect(await leastOf(PARTNER, 60n, false)).toEqual({ ok: true, least: 50n });
    expect(await leastOf(PARTNER, 40n, false)).toEqual({ ok: true, least: 7n });
  });

  it('is asked for once for all who ask at the same time', async () => {
    const { leastOf, asked } = depositsOf(() => 0n);
    await Promise.all(Array.from({ length: 20 }, () => leastOf(PARTNER, 10n, false)));
    expect(asked).toEqual([100n]);
  });

  it('is asked for a bounded number of strangers, and for whoever has paid all the same', async () => {
    const { leastOf, asked, wait } = depositsOf(() => 0n);
    const answers = [];
    for (let n = 1; n <= 200; n++) answers.push(await leastOf(addressOf(n), 10n, false));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(100);
    expect(asked).toHaveLength(100);
    expect(await leastOf(PARTNER, 10n, true)).toEqual({ ok: true, least: 0n });
    wait(1_000);
    expect((await leastOf(addressOf(201), 10n, false)).ok).toBe(true);
  });
});
