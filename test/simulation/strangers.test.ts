/** Keys of which nobody has heard: what they do with channels of tokens that are worth nothing. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { pay, smallScenario } from './small-scenarios.ts';

const [VICTIM, ATTACKER] = [1, 3];
const KEYS = { to: VICTIM, keys: 3 };

/** Three keys open channels with the mediator of a line, over which somebody pays meanwhile. */
async function run(...moves: object[]) {
  const { violation, payments, transactionsByType } = await simulate({
    seed: 1,
    scenario: smallScenario('strangers', 'Keys of which nobody has heard.', {
      nodes: 4,
      steps: [pay(0, 2, 10), pay(0, 2, 10, 20)],
      attacks: [{ plan: 'moves', nodes: String(ATTACKER), moves }],
      busy: 40,
    }),
  });
  const gasOf = (name: string) => transactionsByType[name]?.gas ?? 0;
  const countOf = (name: string) => transactionsByType[name]?.count ?? 0;
  return { violation, payments, gasOf, countOf };
}

describe('keys that no node has', () => {
  it('open channels, put units in for their partner, and close them', async () => {
    const { payments, countOf } = await run(
      { do: 'open', ...KEYS, gift: 1, settle_timeout: 10_000 },
      { do: 'abandon', ...KEYS, after: 6 },
    );
    expect(countOf('openChannelWithDeposit')).toBe(3);
    expect(countOf('setTotalDeposit')).toBe(3);
    expect(countOf('closeChannel')).toBe(3);
    // The timeout is far longer than the run.
    expect(countOf('settleChannel')).toBe(0);
    expect(payments.succeeded).toBe(2);
  });

  it('give locks whose secret they bring on chain, once for all channels', async () => {
    const { countOf, payments } = await run(
      { do: 'open', ...KEYS },
      { do: 'stuff', ...KEYS, after: 1, blocks: 19, show: 'registered', secrets: 'shared' },
      { do: 'abandon', ...KEYS, after: 14 },
    );
    expect(countOf('registerSecretBatch') + countOf('registerSecret')).toBe(1);
    expect(countOf('closeChannel')).toBe(3);
    expect(payments.succeeded).toBe(2);
  });

  it('have a token that makes whoever settles pay for 850,000 gas', async () => {
    const { gasOf, countOf } = await run(
      { do: 'open', ...KEYS, token: 'burning', settle_timeout: 10 },
      { do: 'abandon', ...KEYS, token: 'burning', after: 4 },
    );
    // Not all nodes settle what is worth nothing to them.
    for (let n = 0; n < countOf('settleChannel'); n++)
      expect(gasOf('settleChannel') / countOf('settleChannel')).toBeGreaterThan(800_000);
  });
});
