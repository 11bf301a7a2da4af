/** What `run.mjs` and the process that it starts tell each other, in files of one folder. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';

const FOLDER = process.env['SLUICE_MUTATION_FOLDER'] ?? 'dist/mutation/part-0';

const order = v.object({
  /** The test files to run, and those of them that an earlier process has done. */
  tests: v.array(v.string()),
  over: v.array(v.string()),
  /** A test that takes more CPU time than this waits for the next round; null in the last. */
  quickMs: v.nullable(v.number()),
  /** The mutated files. */
  files: v.array(v.string()),
  /** The mutants that no test has noticed yet. */
  alive: v.array(v.string()),
  /** What an earlier process has done: whole tests, and single tries of those that it broke off. */
  tested: v.array(v.string()),
  tried: v.array(v.object({ mutant: v.string(), test: v.string() })),
  /** Try it first: an earlier mutant may have been the reason why its test failed. */
  unsure: v.nullable(v.object({ mutant: v.string(), test: v.string() })),
  /** Switched on from the start to the end; then each test runs once. */
  always: v.nullable(v.string()),
});

export type Order = v.InferOutput<typeof order>;

/** A line of `seen.jsonl`. */
export type Seen =
  | { kind: 'static'; mutants: string[] }
  | { kind: 'loaded'; file: string; mutants: string[] }
  | { kind: 'met'; file: string; test: string; mutants: string[] }
  | { kind: 'try' | 'unsure'; mutant: string; test: string }
  | { kind: 'killed'; mutant: string; how: 'failure' | 'timeout'; test: string }
  | { kind: 'tested'; test: string }
  | { kind: 'once'; test: string; name: string }
  | { kind: 'broken'; name: string }
  | { kind: 'restart' | 'over' };

export function readOrder(): Order & { folder: string } {
  const text = readFileSync(`${FOLDER}/order.json`, 'utf8');
  return { ...v.parse(order, JSON.parse(text)), folder: FOLDER };
}
