/** What a simulation has to run: a scenario that comes with the program, a file, or small worlds made from seeds. */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { MIX, mixTree } from '../../simulation/run/mix/mix.ts';
import { readScenario, scenarioNames } from '../../simulation/scenario/catalogue.ts';
import { type Problem, readTree, validate } from '../../simulation/scenario/parse.ts';
import type { ReadFile } from '../../simulation/scenario/schema/network.ts';
import type { Source } from '../../simulation/workers/order.ts';

export type Given = {
  /** The name or path that the caller gave. */
  place: string;
  source: Source;
  /** The seed that the scenario names. */
  seed: number;
  /** The text of its file; null when it has none, because each seed makes another world. */
  text: string | null;
  /** The scenario of this seed as plain data, as it would be in a file. */
  treeOf(seed: number): unknown;
  /** Reads a file by its path relative to the scenario's file. */
  readFile: ReadFile;
};
/** Each problem is one line. */
export type Bad = { ok: false; problems: string[] };

/** Reads and checks what has to be run; the problems are lines for the terminal. */
export function readGiven(place: string): { ok: true; given: Given } | Bad {
  if (place === MIX) return { ok: true, given: mixed() };
  const found = textOf(place);
  if (!found.ok) return found;
  const { text, readFile } = found;
  const read = readTree(text);
  if (!read.ok) return { ok: false, problems: problemLines(place, read.problems) };
  const parsed = validate(read.tree, nameOf(place), readFile);
  if (!parsed.ok) return { ok: false, problems: problemLines(place, parsed.problems) };
  const { scenario } = parsed;
  return {
    ok: true,
    given: {
      place,
      text,
      readFile,
      seed: scenario.seed,
      source: { kind: 'scenario', scenario },
      treeOf: () => read.tree.value,
    },
  };
}

function mixed(): Given {
  return {
    place: MIX,
    seed: 1,
    text: null,
    treeOf: mixTree,
    readFile: () => null,
    source: { kind: MIX },
  };
}

type Text = { ok: true; text: string; readFile: ReadFile };

function textOf(place: string): Text | Bad {
  const known = readScenario(place);
  if (known !== null) return { ok: true, text: known, readFile: () => null };
  const text = contentOf(place);
  if (text !== null)
    return { ok: true, text, readFile: (path) => contentOf(resolve(dirname(place), path)) };
  const word = place.split('-')[0] ?? place;
  const nearest = scenarioNames().filter((name) => name.includes(word));
  const hint =
    nearest.length > 0 && nearest.length < 10 ? `; did you mean ${nearest.join(', ')}?` : '';
  return {
    ok: false,
    problems: [
      `there is no scenario and no readable file "${place}"${hint}. "sluice simulate list" names the scenarios`,
    ],
  };
}

/** Null when it cannot be read. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The name of a scenario whose file has none, made from the file's name. */
export function nameOf(place: string): string {
  const word = basename(place).replace(/\.[^.]*$/, '');
  return (
    word
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'scenario'
  );
}

/** Lines such as "my.yaml:12: chain.block_time: must be a number". */
export function problemLines(place: string, problems: readonly Problem[]): string[] {
  return problems.map(({ path, line, text }) =>
    [line === null ? place : `${place}:${line}`, ...(path === '' ? [] : [path]), text].join(': '),
  );
}
