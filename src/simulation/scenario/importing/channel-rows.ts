/**
 * The rows of a list of channels, as CSV or JSON: two nodes, what each side has or both have together, and what each side
 * asks for passing payments on and waits for. Rows are text here; `channel-list.ts` reads what they mean.
 */
import { printable } from '../../../basics/printable.ts';

const CAPACITIES = ['capacity_a', 'capacity_b', 'capacity'] as const;
const TERMS = [
  'flat_a',
  'proportional_ppm_a',
  'reveal_timeout_a',
  'flat_b',
  'proportional_ppm_b',
  'reveal_timeout_b',
] as const;
const FIELDS = ['a', 'b', ...CAPACITIES, ...TERMS] as const;
export type Field = (typeof FIELDS)[number];
/** The columns of CSV whose first line does not name them. */
const USUAL = ['a', 'b', 'capacity_a', 'capacity_b'] as const satisfies Field[];

/** `place`: "line 3" or "entry 3". A field that is empty or absent is not in `fields`. */
export type Row = { place: string; fields: ReadonlyMap<Field, string> };
export type Rows = { rows: Row[]; problems: string[] };

const MOST_LETTERS = 20_000_000;
const isField = (text: string): text is Field => FIELDS.some((field) => field === text);

function tooLarge(text: string): Rows | null {
  return text.length <= MOST_LETTERS
    ? null
    : { rows: [], problems: [`has more than ${MOST_LETTERS} letters`] };
}

export function rowsOfCsv(text: string): Rows {
  const refused = tooLarge(text);
  if (refused !== null) return refused;
  const reader = createCsvRows();
  for (const line of text.split('\n')) reader.line(line);
  return reader.rows;
}

/**
 * Takes CSV line by line. Empty lines and lines that begin with # are passed over; the first other line may name the
 * columns, in any order.
 */
export function createCsvRows() {
  const found: Rows = { rows: [], problems: [] };
  let columns: readonly Field[] | null = null;
  let isRefused = false;
  let at = 0;

  function header(cells: readonly string[]): readonly Field[] {
    if (!isHeader(cells)) return USUAL;
    const problem = headerProblem(cells);
    if (problem !== null) found.problems.push(`line ${at}: ${problem}`);
    isRefused = problem !== null;
    return cells.filter(isField);
  }

  return {
    rows: found,
    line(text: string) {
      at += 1;
      const line = text.trim();
      if (isRefused || line === '' || text.startsWith('#')) return;
      const cells = line.split(',').map((cell) => cell.trim());
      if (columns === null) {
        columns = header(cells);
        if (columns !== USUAL) return;
      }
      if (cells.length !== columns.length)
        found.problems.push(
          `line ${at}: has ${cells.length} fields and must have ${columns.length}: ${columns.join(',')}`,
        );
      else found.rows.push({ place: `line ${at}`, fields: given(columns, cells) });
    },
  };
}

/** Whether the cells are names of columns, also of another program's. */
function isHeader(cells: readonly string[]): boolean {
  return (
    cells.some((cell) => isField(cell) && cell !== 'a' && cell !== 'b') ||
    (cells.length > 2 && cells.every((cell) => /^[a-z_][\w .()-]*$/i.test(cell)))
  );
}

function headerProblem(cells: readonly string[]): string | null {
  const unknown = cells.filter((cell) => !isField(cell));
  if (unknown.length > 0) return unknownText('column', unknown);
  if (new Set(cells).size < cells.length) return 'names a column twice';
  const missing = ['a', 'b'].find((column) => !cells.includes(column));
  return missing === undefined ? null : `has no column ${missing}`;
}

function unknownText(kind: 'column' | 'field', names: readonly string[]): string {
  const what = names.length === 1 ? kind : `${kind}s`;
  return `does not know the ${what} ${printable(names.join(', '))}; it knows ${FIELDS.join(', ')}`;
}

function given(columns: readonly Field[], cells: readonly string[]): Row['fields'] {
  const fields = new Map<Field, string>();
  for (const [n, column] of columns.entries()) {
    const cell = cells[n] ?? '';
    if (cell !== '') fields.set(column, cell);
  }
  return fields;
}

export function rowsOfJson(text: string): Rows {
  const refused = tooLarge(text);
  if (refused !== null) return refused;
  const listed = listOf(text);
  if (listed === null) return { rows: [], problems: ['is not a JSON list'] };
  const rows: Row[] = [];
  const problems: string[] = [];
  for (const [at, entry] of listed.entries()) {
    const place = `entry ${at + 1}`;
    const fields = fieldsOf(entry);
    if (typeof fields === 'string') problems.push(`${place}: ${fields}`);
    else rows.push({ place, fields });
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

/** The fields of an entry, or what is wrong with them. */
function fieldsOf(entry: unknown): Row['fields'] | string {
  if (typeof entry !== 'object' || entry === null) return 'is no object with fields';
  const unknown = Object.keys(entry).filter((key) => !isField(key));
  if (unknown.length > 0) return unknownText('field', unknown);
  const fields = new Map<Field, string>();
  for (const [key, value] of Object.entries(entry)) {
    const text = textOf(value);
    if (text === null) return `${key} must be a text or a whole number`;
    if (isField(key)) fields.set(key, text);
  }
  return fields;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** CSV of these channels' fields, with the columns that any of them has. */
export function csvOf(rows: readonly Row['fields'][]): string {
  const columns = FIELDS.filter((field) => rows.some((row) => row.has(field)));
  const lines = rows.map((row) => columns.map((column) => row.get(column) ?? '').join());
  return `${[columns.join(), ...lines].join('\n')}\n`;
}
