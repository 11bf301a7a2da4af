/** `sluice simulate attack PLAN`: shows what cheating nodes gain, and what the others lose. */
import { Argument, Command } from 'commander';
import * as v from 'valibot';
import { readScenario } from '../../simulation/scenario/catalogue.ts';
import { validate } from '../../simulation/scenario/parse.ts';
import { PLAN_TEXTS, PLANS } from '../../simulation/scenario/schema-trouble.ts';
import { isFields } from '../../simulation/shrink-steps.ts';
import { declare, defaulting, optional, readerOf } from '../settings.ts';
import { text, wholeNumber } from '../values.ts';
import { nameOf, problemLines, readGiven } from './given.ts';
import { badUsage, tokens, write } from './output.ts';
import { stopperOfSignals, watchedRun } from './run.ts';
import { SEED } from './settings.ts';
import { exitCodeOf, resultLines, verdictLine } from './verdict.ts';

const AGAINST = optional(
  '--against <scenario>',
  'whom it hits: a file or a name (default: the scenario that is made for this attack)',
  text,
);
const NODES = defaulting('--nodes <selection>', 'who attacks, with --against', text, 'random:1');
const FROM = defaulting(
  '--from-block <n>',
  'when it begins, with --against',
  wholeNumber(0, 1_000_000_000),
  '20',
);
/** The scenario for attacks that have none of their own. */
const USUAL = 'circular-economy';
const LIST = v.array(v.unknown());

export function attackCommand(): Command {
  const plans = PLANS.map((plan) => `  ${plan.padEnd(24)} ${PLAN_TEXTS[plan]}`).join('\n');
  const command = new Command('attack')
    .description('let some nodes cheat, and print what they gain and what honest nodes lose')
    .addArgument(new Argument('<plan>', 'what they do').choices(PLANS))
    .addHelpText('after', `\nPlans:\n${plans}`);
  return declare(command, [AGAINST, NODES, FROM, SEED]).action(async (plan: string) => {
    process.exit(await runAttack(command, plan));
  });
}

/** The exit code: 1 also when honest nodes lose something. */
async function runAttack(command: Command, plan: string): Promise<number> {
  const read = readerOf(command);
  const own = `attack-${plan.replaceAll('_', '-')}`;
  const isOwn = read(AGAINST) === null && readScenario(own) !== null;
  const place = isOwn ? own : (read(AGAINST) ?? USUAL);
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  const seed = read(SEED) ?? given.seed;
  const attack = { plan, nodes: read(NODES), from_block: read(FROM) };
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
