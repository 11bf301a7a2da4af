/** The chain's terms in a scenario, as faults that begin and end like those of its list. */
import type { Fate } from '../../chain/chain.ts';
import type { Scenario } from '../../scenario/schema/schema.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';
import type { Draw } from '../../world/randomness.ts';

type ChainTerms = Pick<Scenario['chain'], 'congestion' | 'priceSpikes' | 'reorganisations'>;
/** `depth`: of the next reorganisation, in blocks. */
export type Reorganisations = { isDue(): boolean; depth(): number; fate: Fate };

/** Faults for blocks that others fill, and for times at which gas is expensive. */
export function weatherFaults({ congestion, priceSpikes }: ChainTerms): Fault[] {
  return [
    ...congestion.map(({ atBlock, blocks, share }): Fault => {
      return { kind: 'full_blocks', share, when: { kind: 'once', atBlock, blocks } };
    }),
    ...priceSpikes.map(({ atBlock, blocks, factor }): Fault => {
      return { kind: 'price_spike', factor, when: { kind: 'once', atBlock, blocks } };
    }),
  ];
}

/** The reorganisations that happen by themselves; null: there are none. */
export function reorganisationsOf(
  { reorganisations }: ChainTerms,
  draw: Draw,
): Reorganisations | null {
  if (reorganisations === null) return null;
  const { rate, depth, transactions } = reorganisations;
  return {
    isDue: () => draw.happens(rate),
    depth: () => draw.integer(Number(depth.least), Number(depth.most)),
    fate: transactions,
  };
}
