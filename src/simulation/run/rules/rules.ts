/** All rules of a run, which from here on hear of everything. */
import type { Facts } from '../../invariants/oracle.ts';
import type { Tally } from '../figures/tally.ts';
import { createFacts } from './facts.ts';
import { createOracles } from './oracles.ts';
import type { Oversight } from './oversight.ts';
import { createTrustedRules } from './trusted-rules.ts';

type Options = Parameters<typeof createFacts>[0] &
  Pick<Parameters<typeof createTrustedRules>[0], 'endsOf' | 'isOpenTo'> & {
    tally: Pick<Tally, 'totals'>;
    oversight: Pick<Oversight, 'hold' | 'counted'>;
    /** Milliseconds since 1970 in the simulated world. */
    now(): number;
  };

export function createRules({ tally, oversight, now, endsOf, isOpenTo, ...known }: Options) {
  const { world, nodes, quiet, indexOf, trust } = known;
  const { counted } = oversight;
  const facts: Facts = createFacts(known);
  const trusted = createTrustedRules({ facts, counted, nodes, trust, endsOf, isOpenTo });
  const { ledger } = trusted;
  const oracles = createOracles({
    ...{ facts, ledger, world, nodes, quiet, trust, indexOf, counted },
    seconds: () => Math.floor(now() / 1000),
    totals: () => (nodes.every(({ index }) => trust.isWhole(index)) ? tally.totals() : null),
  });
  oversight.hold(trusted.rules, oracles.rules);
  const { cheats, carried, asks, pays } = oracles;
  return { ledger, cheats, carried, asks, pays };
}
