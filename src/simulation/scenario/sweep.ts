/** Variants of a scenario: some of its fields set to each of several values, in all combinations. */
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { type Path, type Problem, pathText, readTree, type Tree, validate } from './parse.ts';
import type { ReadFile } from './schema/network.ts';
import type { Scenario } from './schema/schema.ts';

/** `values`: the values that were set, as they were written, by path. */
export type Variant = { values: Record<string, string>; scenario: Scenario };
export type Swept =
  | { ok: true; variants: Variant[] }
  /** `path` is the path of the assignment when the assignment itself is wrong. */
  | { ok: false; problems: Problem[] };

type Assignment = { path: Path; name: string; texts: string[] };
const MOST_VARIANTS = 1_000;
const noFiles: ReadFile = () => null;

/**
 * `assignments`: each is "path=value,value", with the path as in problems:
 * "defaults.fees.imbalance_ppm=0,1000,3000", "traffic[0].rate.per_block=1,2". Objects that the file leaves out are
 * created; entries of lists must exist. The last assignment changes the fastest.
 */
export function sweep(
  text: string,
  name: string,
  assignments: readonly string[],
  readFile = noFiles,
): Swept {
  const read = readTree(text);
  if (!read.ok) return read;
  const parsed = assignments.map(parseAssignment);
  const wrong = parsed.filter((one) => 'text' in one);
  if (wrong.length > 0) return { ok: false, problems: wrong };
  const rows = combinations(parsed.filter((one) => 'texts' in one));
  if (rows === null) return refused('', `makes more than ${MOST_VARIANTS} variants`);
  const variants: Variant[] = [];
  for (const row of rows) {
    const made = variantOf(read.tree, name, row, readFile);
    if (!('scenario' in made)) return { ok: false, problems: made };
    variants.push(made);
  }
  return { ok: true, variants };
}

function refused(path: string, text: string): { ok: false; problems: Problem[] } {
  return { ok: false, problems: [{ path, text, line: null }] };
}

function parseAssignment(text: string): Assignment | Problem {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(0, at)).trim();
  const problem = (what: string): Problem => ({ path: name || text, text: what, line: null });
  if (at <= 0) return problem('must be path=value,value');
  const path = parsePath(name);
  if (path === null)
    return problem('is no path such as network.capacity.amount or traffic[0].rate');
  const texts = text
    .slice(at + 1)
    .split(',')
    .map((value) => value.trim());
  return texts.includes('') ? problem('has an empty value') : { path, name, texts };
}

function parsePath(name: string): Path | null {
  if (!/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*|\[\d{1,5}\])*$/.test(name)) return null;
  return [...name.matchAll(/([a-z0-9_]+)|\[(\d+)\]/g)].map(([, key, place]) =>
    key === undefined ? Number(place) : key,
  );
}

type Choice = { path: Path; name: string; text: string };

/** All combinations of one text per assignment; null: too many. */
function combinations(assignments: readonly Assignment[]): Choice[][] | null {
  const count = assignments.reduce((product, { texts }) => product * texts.length, 1);
  if (count > MOST_VARIANTS) return null;
  return assignments.reduce<Choice[][]>(
    (rows, { path, name, texts }) =>
      rows.flatMap((row) => texts.map((text) => [...row, { path, name, text }])),
    [[]],
  );
}

/** The scenario with these values, or what is wrong with one of them. */
function variantOf(
  tree: Tree,
  name: string,
  choices: readonly Choice[],
  readFile: ReadFile,
): Variant | Problem[] {
  let value = tree.value;
  for (const choice of choices) {
    const problem = (text: string): Problem[] => [{ path: choice.name, text, line: null }];
    const wanted = parseValue(choice.text);
    if (wanted === null) return problem(`cannot be set to "${choice.text}"`);
    const changed = withValue(value, choice.path, wanted.value);
    if (changed === null) return problem('leads through something that holds no such field');
    value = changed.value;
  }
  const read = validate({ ...tree, value }, name, readFile);
  if (!read.ok) return read.problems.map((found) => inVariant(found, choices));
  const values = Object.fromEntries(choices.map(({ name, text }) => [name, text]));
  return { values, scenario: read.scenario };
}

/** A problem of a value that was set has no line in the file, so the text names the value. */
function inVariant(problem: Problem, choices: readonly Choice[]): Problem {
  const chosen = choices.find(({ path }) => pathText(path) === problem.path);
  return chosen === undefined
    ? problem
    : { ...problem, text: `${problem.text} (set to "${chosen.text}")`, line: null };
}

function parseValue(text: string): { value: unknown } | null {
  try {
    return { value: parseYaml(text, { logLevel: 'error' }) };
  } catch (error) {
    if (error instanceof YAMLParseError) return null;
    throw error;
  }
}

/** A copy with `wanted` at the path; null: there is no such path. */
function withValue(value: unknown, path: Path, wanted: unknown): { value: unknown } | null {
  const [key, ...rest] = path;
  if (key === undefined) return { value: wanted };
  if (typeof key === 'number') {
    if (!Array.isArray(value) || key >= value.length) return null;
    const held = withValue(value[key], rest, wanted);
    return held === null ? null : { value: value.with(key, held.value) };
  }
  if (value === null || Array.isArray(value)) return null;
  if (typeof value !== 'object' && value !== undefined) return null;
  const fields = new Map(Object.entries(value ?? {}));
  const held = withValue(fields.get(key), rest, wanted);
  return held === null ? null : { value: Object.fromEntries([...fields, [key, held.value]]) };
}
