/** `sluice simulate attack PLAN`: shows what cheating nodes gain, and what the others lose. */
import * as v from 'valibot';
import { isFields } from '../../simulation/explore/shrink-steps.ts';
import { readScenario } from '../../simulation/scenario/catalogue.ts';
import { validate } from '../../simulation/scenario/parse.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { nameOf, problemLines, readGiven } from './given.ts';
import type { ATTACK_OPTIONS } from './options.ts';
import { badUsage, tokens, write } from './output.ts';
import { stopperOfSignals, watchedRun } from './run.ts';
import { exitCodeOf, resultLines, verdictLine } from './verdict.ts';

/** The scenario for attacks that have none of their own. */
const USUAL = 'circular-economy';
const LIST = v.array(v.unknown());

/** The exit code: 1 also when honest nodes lose something. */
export async function runAttack(
  plan: string,
  { against, nodes, fromBlock, seed: chosen, ...left }: Values<typeof ATTACK_OPTIONS>,
): Promise<number> {
  left satisfies Nothing;
  const own = `attack-${plan.replaceAll('_', '-')}`;
  const isOwn = against === null && readScenario(own) !== null;
  const place = isOwn ? own : (against ?? USUAL);
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  const seed = chosen ?? given.seed;
  const attack = { plan, nodes, from_block: fromBlock };
  const tree = given.treeOf(seed);
  const value = isOwn ? tree : withAttack(tree, attack);
  const parsed = validate({ value, lineOf: () => null }, nameOf(place), given.readFile);
  if (!parsed.ok) return badUsage(problemLines(place, parsed.problems));
  const { scenario } = parsed;
  const source = { kind: 'scenario', scenario } as const;
  const { summary, result } = await watchedRun(source, seed, stopperOfSignals());
  if (result === null) return badUsage([verdictLine(summary)]);
  const { figures } = summary;
  const cheats = result.nodes.filter(({ isHonest }) => !isHonest).map(({ name }) => name);
  write([
    ...resultLines(result, summary.wallMs),
    `attack ${plan} of ${cheats.join(', ')}, payments that they were paid included:`,
    `  they gained        ${tokens(figures.attackerGain, result.token)}`,
    `  honest nodes lost  ${tokens(figures.honestLoss, result.token)}`,
    `trace ${summary.trace}`,
    verdictLine(summary),
  ]);
  return exitCodeOf(summary.verdict);
}

/**
 * Adds the attack to the scenario, and replaces the scenario's expectations, which were made for a world without it.
 */
function withAttack(tree: unknown, attack: Record<string, unknown>): unknown {
  if (!isFields(tree)) return tree;
  const known = v.safeParse(LIST, tree['attacks']);
  const attacks = [...(known.success ? known.output : []), attack];
  return { ...tree, attacks, expectations: [{ measure: 'honest_loss', equals: 0 }] };
}
