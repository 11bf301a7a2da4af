import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWalletFacts } from '../../../src/host/wallet-facts.ts';
import { OWN } from '../../support/makers.ts';
import { walletFacts } from '../../support/wallet-facts.ts';

const { wei, gasPrice, blockSeconds, tokens, userDeposit } = walletFacts();
const TOLD = { wei, gasPrice, blockSeconds, tokens, userDeposit };
const LOW = {
  check: 'low_rdn',
  summary: 'Low',
  body: 'Pay in.',
  urgency: 'normal',
  since: 5,
} as const;
let troubles: readonly (typeof LOW)[] = [];
const inspection = {
  facts: { address: OWN, chainId: 1n, version: '0', revealTimeout: 50n },
  nowBlock: () => 7n,
  troubles: () => troubles,
  actors: { ids: () => [], stateOf: () => null },
};
const config = { confirmations: 5n, defaultSettleTimeout: 500n, defaultRevealTimeout: 50n };

describe('what a wallet is told of its node', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('is asked of the chain once for all pages that ask at the same time, and anew when it is old', async () => {
    const ask = vi.fn(async () => TOLD);
    const facts = createWalletFacts({ config, inspection, ask });
    const answers = await Promise.all([facts(), facts(), facts()]);
    expect(answers[2]).toMatchObject({ ...TOLD, address: OWN, block: '7', chainId: '1' });
    await facts();
    expect(ask).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(3_001);
    await facts();
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('has its channels read once for all pages that ask at the same time', async () => {
    const stateOf = vi.fn(() => null);
    const ids = Array.from({ length: 200 }, (_, n) => `channel:0x1:${n}`);
    const many = { ...inspection, actors: { ids: () => ids, stateOf } };
    const facts = createWalletFacts({ config, inspection: many, ask: async () => TOLD });
    await Promise.all(Array.from({ length: 20 }, facts));
    expect(stateOf.mock.calls.length).toBeLessThanOrEqual(2 * ids.length);
  });

  it('is what is bad at the node now, though the chain is not asked anew', async () => {
    const facts = createWalletFacts({ config, inspection, ask: async () => TOLD });
    expect((await facts()).troubles).toEqual([]);
    troubles = [LOW];
    expect((await facts()).troubles).toEqual([LOW]);
    troubles = [];
    expect((await facts()).troubles).toEqual([]);
  });

  it('is what was known last while the chain does not answer', async () => {
    const ask = vi.fn(async () => TOLD);
    const facts = createWalletFacts({ config, inspection, ask });
    await facts();
    vi.advanceTimersByTime(3_001);
    ask.mockImplementation(() => new Promise(() => {}));
    expect(await facts()).toMatchObject(TOLD);
    await facts();
    expect(ask).toHaveBeenCalledTimes(2);
  });
});
