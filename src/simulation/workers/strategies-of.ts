/** Strategies of a module, which each thread imports by itself: functions do not cross threads. */
import * as v from 'valibot';
import { messageOf } from '../../basics/message-of.ts';
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

/** Of a module that cannot be imported, or has something else, what is wrong with it. */
export async function strategiesOf(
  source: StrategySource,
): Promise<{ ok: true; strategies: readonly Strategy[] } | { ok: false; problem: string }> {
  if (typeof source !== 'string') return { ok: true, strategies: source };
  const problem = (text: string) => ({ ok: false, problem: `${source}: ${text}` }) as const;
  const imported: unknown = await import(source).catch((error: unknown) => error);
  if (imported instanceof Error) return problem(`cannot be imported: ${messageOf(imported)}`);
  const parsed = v.safeParse(strategyModule, imported);
  return parsed.success
    ? { ok: true, strategies: parsed.output.default }
    : problem('the default export must be a list of strategies { name, nodes, start }');
}
