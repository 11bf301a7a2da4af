/** Strategies of a module, which each thread imports by itself: functions do not cross threads. */
import * as v from 'valibot';
import type { Strategy } from '../run/strategies/strategy.ts';

/** Strategies, or the URL of a module whose default export is a list of them. */
export type StrategySource = readonly Strategy[] | string;

const strategyModule = v.object({
  default: v.array(
    v.object({
      name: v.string(),
      nodes: v.string(),
      start: v.custom<Strategy['start']>((value) => typeof value === 'function'),
    }),
  ),
});

/** Throws when the module cannot be imported, or has something else. */
export async function strategiesOf(source: StrategySource): Promise<readonly Strategy[]> {
  if (typeof source !== 'string') return source;
  const parsed = v.safeParse(strategyModule, await import(source));
  if (parsed.success) return parsed.output.default;
  throw new Error(
    `${source}: the default export must be a list of strategies { name, nodes, start }`,
  );
}
