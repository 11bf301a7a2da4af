/** Reads a scenario from its file: the text, the shape of its data, and whether its parts fit together. */
import * as v from 'valibot';
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { problemsOf } from './checks.ts';
import { DEFAULT_TOKEN, type ReadFile } from './schema/network.ts';
import { type Scenario, scenarioSchema } from './schema/schema.ts';
import { fileKey, programKey } from './schema/values.ts';

/** `path` as in the file, "chain.block_time" or "steps[3].amount"; `line` counts from 1, null: no single line. */
export type Problem = { path: string; text: string; line: number | null };
export type Parsed = { ok: true; scenario: Scenario } | { ok: false; problems: Problem[] };
/** The path to a value: keys as in the file, and indexes in lists. */
export type Path = readonly (string | number)[];

/** The plain data of a file, before it was checked whether it makes a valid scenario. */
export type Tree = { value: unknown; lineOf(path: Path): number | null };
export type TreeResult = { ok: true; tree: Tree } | { ok: false; problems: Problem[] };

const MOST_LETTERS = 25_000_000;
const MOST_PROBLEMS = 50;
const noFiles: ReadFile = () => null;

/**
 * `name`: the scenario's name when it does not give itself one. `readFile` returns the text of a file beside the
 * scenario, for imported networks.
 */
export function parseScenario(text: string, name: string, readFile = noFiles): Parsed {
  const read = readTree(text);
  return read.ok ? validate(read.tree, name, readFile) : read;
}

export function readTree(text: string): TreeResult {
  if (text.length > MOST_LETTERS)
    return refused({ path: '', text: `has more than ${MOST_LETTERS} letters`, line: null });
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    logLevel: 'error',
  });
  const problems = document.errors.map(({ message, pos }) => ({
    path: '',
    // The rest of the message is a drawing of the place.
    text: (message.split(/ at line \d/)[0] ?? message).trim(),
    line: lines.linePos(pos[0]).line,
  }));
  if (problems.length > 0) return refused(...problems);
  const value = plainOf(document);
  if (value === null)
    return refused({ path: '', text: 'repeats parts of itself too often', line: null });
  return {
    ok: true,
    tree: { value: value.plain, lineOf: (path) => lineIn(document, lines, path) },
  };
}

/** Checks whether the data makes a valid scenario. */
export function validate(tree: Tree, name: string, readFile = noFiles): Parsed {
  const keys = keyProblems(tree.value, []);
  if (keys.length > 0) return refused(...keys.map((found) => located(found, tree)));
  const schema = scenarioSchema(decimalsOf(tree.value), readFile);
  // valibot accepts a list as an object whose fields are all missing.
  const given = Array.isArray(tree.value) ? null : withProgramKeys(tree.value);
  const read = v.safeParse(schema, given);
  if (!read.success) return refused(...read.issues.map((issue) => located(foundIn(issue), tree)));
  const scenario = { ...read.output, name: read.output.name ?? name };
  const problems = problemsOf(scenario);
  return problems.length === 0
    ? { ok: true, scenario }
    : refused(...problems.map((found) => located(found, tree)));
}

function refused(...problems: Problem[]): { ok: false; problems: Problem[] } {
  return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
}

type Found = { path: Path; text: string };

function located({ path, text }: Found, tree: Tree): Problem {
  return { path: pathText(path), text, line: tree.lineOf(path) };
}

export function pathText(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

function foundIn(issue: v.BaseIssue<unknown>): Found {
  const path = (issue.path ?? []).map(({ key }) =>
    typeof key === 'number' ? key : fileKey(String(key)),
  );
  return { path, text: issue.message };
}

/** The document as plain data; null when aliases would make it huge. */
function plainOf(document: Document): { plain: unknown } | null {
  try {
    return { plain: withSafeNumbers(document.toJS({ maxAliasCount: 100 })) };
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}

/** Whole numbers that a double cannot represent become text of their digits, which an amount accepts. */
function withSafeNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (Array.isArray(value)) return value.map(withSafeNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, withSafeNumbers(held)]),
  );
}

/** Keys that no field can have. `blockTime` is one, so that a file has only one way to write a key. */
function keyProblems(value: unknown, path: Path): Found[] {
  if (Array.isArray(value)) return value.flatMap((held, at) => keyProblems(held, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const here = [...path, key];
    if (/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key)) return keyProblems(held, here);
    return [{ path: here, text: 'is not known here: keys are words of lower-case letters with _' }];
  });
}

function withProgramKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withProgramKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [programKey(key), withProgramKeys(held)]),
  );
}

const decimalsShape = v.object({
  network: v.object({ token: v.object({ decimals: v.number() }) }),
});

/** The decimals by which amounts are read; invalid ones are refused with all other problems. */
function decimalsOf(value: unknown): number {
  const read = v.safeParse(decimalsShape, value);
  const decimals = read.success ? read.output.network.token.decimals : DEFAULT_TOKEN.decimals;
  return Number.isInteger(decimals) && decimals >= 0 && decimals <= 18
    ? decimals
    : DEFAULT_TOKEN.decimals;
}

/** The line of the key, or of the nearest part around it that the file has. */
function lineIn(document: Document, lines: LineCounter, path: Path): number | null {
  for (let length = path.length; length > 0; length--) {
    const start = startOf(document, path.slice(0, length));
    if (start !== null) return lines.linePos(start).line;
  }
  return null;
}

function startOf(document: Document, path: Path): number | null {
  const key = path.at(-1);
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (isMap(around)) {
    const pair = around.items.find((item) => isScalar(item.key) && item.key.value === key);
    return isScalar(pair?.key) ? (pair.key.range?.[0] ?? null) : null;
  }
  const node = document.getIn(path, true);
  const hasRange = typeof node === 'object' && node !== null && 'range' in node;
  return hasRange && Array.isArray(node.range) ? Number(node.range[0]) : null;
}
