/**
 * Imports a channel graph: CSV lines of `a,b,capacity_a,capacity_b`, or a JSON list of objects with these fields.
 * Nodes may have any names; when the names are exactly the numbers from 0 on, a node's number is its index, else
 * nodes are numbered in the order in which they appear.
 */
import { parseQuantity, tokenUnits, type Units } from './quantities.ts';

type ImportedChannel = { a: number; b: number; capacityA: bigint; capacityB: bigint };
export type ImportedNetwork = { names: string[]; channels: ImportedChannel[] };
export type ImportResult =
  | { ok: true; network: ImportedNetwork }
  /** At most `MOST_PROBLEMS`, each beginning with its place. */
  | { ok: false; problems: string[] };

/** Exactly one is given; `file` is the name of a file beside the scenario. */
export type ImportSource = { file: string | null; csv: string | null; json: string | null };
type Options = { decimals: number; readFile: (path: string) => string | null };

const MOST_LETTERS = 20_000_000;
const MOST_CHANNELS = 100_000;
const MOST_NODES = 10_000;
const MOST_PROBLEMS = 20;
const FIELDS = ['a', 'b', 'capacity_a', 'capacity_b'] as const;

type Row = { place: string; fields: Record<(typeof FIELDS)[number], string> };
type Rows = { rows: Row[]; problems: string[] };

export function readImport(source: ImportSource, { decimals, readFile }: Options): ImportResult {
  const { file, csv, json } = source;
  if ([file, csv, json].filter((given) => given !== null).length !== 1)
    return failed('must have exactly one of file, csv, json');
  if (csv !== null) return readRows(rowsOfCsv(csv), decimals);
  if (json !== null) return readRows(rowsOfJson(json), decimals);
  const name = file ?? '';
  if (!/\.(csv|json)$/.test(name)) return failed(`${name} must end in .csv or .json`);
  const text = readFile(name);
  if (text === null) return failed(`${name} cannot be read`);
  return readRows(name.endsWith('.csv') ? rowsOfCsv(text) : rowsOfJson(text), decimals);
}

function failed(...problems: string[]): ImportResult {
  return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
}

function tooLarge(text: string): Rows | null {
  return text.length <= MOST_LETTERS
    ? null
    : { rows: [], problems: [`has more than ${MOST_LETTERS} letters`] };
}

/** Empty lines and lines that begin with # are skipped; the first line may have the names of the fields. */
function rowsOfCsv(text: string): Rows {
  const refused = tooLarge(text);
  if (refused !== null) return refused;
  const rows: Row[] = [];
  const problems: string[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const place = `line ${at + 1}`;
    const cells = line.split(',').map((cell) => cell.trim());
    const isHeader = rows.length === 0 && cells.join() === FIELDS.join();
    if (line.trim() === '' || line.startsWith('#') || isHeader) continue;
    const [a = '', b = '', capacity_a = '', capacity_b = '', ...more] = cells;
    if (cells.length < FIELDS.length || more.length > 0)
      problems.push(`${place}: has ${cells.length} fields and must have 4: ${FIELDS.join(',')}`);
    else rows.push({ place, fields: { a, b, capacity_a, capacity_b } });
  }
  return { rows, problems };
}

function rowsOfJson(text: string): Rows {
  const refused = tooLarge(text);
  if (refused !== null) return refused;
  const listed = listOf(text);
  if (listed === null) return { rows: [], problems: ['is not a JSON list'] };
  const rows: Row[] = [];
  const problems: string[] = [];
  for (const [at, entry] of listed.entries()) {
    const place = `entry ${at + 1}`;
    const row = fieldsOf(entry);
    if (row === null)
      problems.push(`${place}: must have the fields ${FIELDS.join(', ')}: texts or whole numbers`);
    else rows.push({ place, fields: row });
  }
  return { rows, problems };
}

function listOf(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function fieldsOf(entry: unknown): Row['fields'] | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const found = new Map(Object.entries(entry));
  if (found.size !== FIELDS.length) return null;
  const [a, b, capacity_a, capacity_b] = FIELDS.map((field) => textOf(found.get(field)));
  if (a == null || b == null || capacity_a == null || capacity_b == null) return null;
  return { a, b, capacity_a, capacity_b };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

function readRows({ rows, problems }: Rows, decimals: number): ImportResult {
  if (rows.length > MOST_CHANNELS) return failed(`has more than ${MOST_CHANNELS} channels`);
  const found = [...problems];
  const indexes = indexesOf(rows);
  if (indexes.size > MOST_NODES) found.push(`has more than ${MOST_NODES} nodes`);
  const units = tokenUnits(decimals);
  const seen = new Set<string>();
  const channels: ImportedChannel[] = [];
  for (const row of rows) {
    const channel = channelOf(row, { indexes, units, seen });
    if (typeof channel === 'string') found.push(`${row.place}: ${channel}`);
    else channels.push(channel);
  }
  if (rows.length === 0 && found.length === 0) found.push('has no channel');
  if (found.length > 0) return failed(...found);
  const names = [...indexes].toSorted((one, other) => one[1] - other[1]).map(([name]) => name);
  return { ok: true, network: { names, channels } };
}

/** The index of each name. */
function indexesOf(rows: readonly Row[]): Map<string, number> {
  const names = [...new Set(rows.flatMap(({ fields }) => [fields.a, fields.b]))];
  const areIndexes = names.every(
    (name) => /^(0|[1-9]\d{0,4})$/.test(name) && Number(name) < names.length,
  );
  return new Map(names.map((name, at) => [name, areIndexes ? Number(name) : at]));
}

type Known = { indexes: ReadonlyMap<string, number>; units: Units; seen: Set<string> };

/** The channel of a row, or what is wrong with the row. */
function channelOf({ fields }: Row, { indexes, units, seen }: Known): ImportedChannel | string {
  if (!isName(fields.a) || !isName(fields.b))
    return 'names of nodes must have 1 to 100 letters, digits, or . _ : -';
  const a = indexes.get(fields.a);
  const b = indexes.get(fields.b);
  if (a === undefined || b === undefined) throw new Error('import: a node was not counted');
  if (a === b) return `${fields.a} cannot have a channel with itself`;
  const pair = a < b ? `${a}-${b}` : `${b}-${a}`;
  if (seen.has(pair)) return `${fields.a} and ${fields.b} have a channel already`;
  seen.add(pair);
  const capacityA = parseQuantity(fields.capacity_a, units);
  const capacityB = parseQuantity(fields.capacity_b, units);
  if (capacityA === null || capacityB === null)
    return 'capacities must be amounts such as "12.5 tokens", or digits of the smallest unit';
  return { a, b, capacityA, capacityB };
}

function isName(name: string): boolean {
  return /^[\w.:-]{1,100}$/.test(name);
}
