/** The results of many seeds of one scenario, without the details of each. */
import * as v from 'valibot';
import { type RunResult, resultSchema, violationSchema } from './result.ts';

const { entries } = resultSchema.pipe[0];

export const manyRunsSchema = v.object({
  version: v.literal(1),
  scenario: entries.scenario,
  commit: entries.commit,
  runs: v.array(
    v.object({
      seed: entries.seed,
      verdict: entries.verdict,
      violation: v.nullable(violationSchema),
      steps: entries.steps,
      trace: entries.trace,
      wallMs: entries.wallMs,
    }),
  ),
  totals: v.object({
    runs: v.number(),
    passed: v.number(),
    failed: v.number(),
    stopped: v.number(),
    steps: v.number(),
    wallMs: v.number(),
  }),
});

export type ManyRuns = v.InferOutput<typeof manyRunsSchema>;
export type OneOfMany = ManyRuns['runs'][number];

/** The part of a result that a list of many runs needs. */
export function oneOfMany(result: RunResult): OneOfMany {
  const { seed, verdict, violation, steps, trace, wallMs } = result;
  return { seed, verdict, violation, steps, trace, wallMs };
}

export function manyRuns(
  { scenario, commit }: Pick<RunResult, 'scenario' | 'commit'>,
  runs: readonly OneOfMany[],
): ManyRuns {
  const ended = (verdict: OneOfMany['verdict']) =>
    runs.filter((run) => run.verdict === verdict).length;
  return {
    version: 1,
    scenario,
    commit,
    runs: [...runs],
    totals: {
      runs: runs.length,
      passed: ended('passed'),
      failed: ended('failed'),
      stopped: ended('stopped'),
      steps: runs.reduce((sum, { steps }) => sum + steps, 0),
      wallMs: runs.reduce((sum, { wallMs }) => sum + wallMs, 0),
    },
  };
}
