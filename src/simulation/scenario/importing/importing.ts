/**
 * Imports a channel graph: a list of channels as CSV or JSON. Nodes may have any names; when the names are exactly the
 * numbers from 0 on, a node's number is its index, else nodes are numbered in the order in which they appear.
 */

import { tokenUnits } from '../numbers/quantities.ts';
import { channelOf, type NamedChannel } from './channel-list.ts';
import { type Rows, rowsOfCsv, rowsOfJson } from './channel-rows.ts';

export type ImportedChannel = Omit<NamedChannel, 'a' | 'b'> & { a: number; b: number };
export type ImportedNetwork = { names: string[]; channels: ImportedChannel[] };
export type ImportResult =
  | { ok: true; network: ImportedNetwork }
  /** At most `MOST_PROBLEMS`, each beginning with its place. */
  | { ok: false; problems: string[] };

/** Exactly one is given; `file` is the name of a file beside the scenario. */
export type ImportSource = { file: string | null; csv: string | null; json: string | null };
type Options = { decimals: number; readFile: (path: string) => string | null };

export const MOST_CHANNELS = 100_000;
export const MOST_NODES = 10_000;
const MOST_PROBLEMS = 20;

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

function readRows({ rows, problems }: Rows, decimals: number): ImportResult {
  if (rows.length > MOST_CHANNELS) return failed(`has more than ${MOST_CHANNELS} channels`);
  const found = [...problems];
  const units = tokenUnits(decimals);
  const pairs = new Set<string>();
  const channels: NamedChannel[] = [];
  for (const row of rows) {
    const channel = channelOf(row, units);
    if (typeof channel === 'string') found.push(`${row.place}: ${channel}`);
    else if (pairs.has(pairOf(channel)))
      found.push(
        `${row.place}: ${channel.a} and ${channel.b} have a channel already; "sluice simulate import" makes one of them`,
      );
    else channels.push(channel);
    if (typeof channel !== 'string') pairs.add(pairOf(channel));
  }
  const indexes = indexesOf(channels);
  if (indexes.size > MOST_NODES) found.push(`has more than ${MOST_NODES} nodes`);
  if (rows.length === 0 && found.length === 0) found.push('has no channel');
  if (found.length > 0) return failed(...found);
  const names = [...indexes].toSorted((one, other) => one[1] - other[1]).map(([name]) => name);
  const numbered = channels.map((channel) => {
    const [a = -1, b = -1] = [indexes.get(channel.a), indexes.get(channel.b)];
    return { ...channel, a, b };
  });
  return { ok: true, network: { names, channels: numbered } };
}

/** The same for both orders of the two nodes. */
export function pairOf({ a, b }: Pick<NamedChannel, 'a' | 'b'>): string {
  return a < b ? `${a},${b}` : `${b},${a}`;
}

/** The index of each name. */
function indexesOf(channels: readonly NamedChannel[]): Map<string, number> {
  const names = [...new Set(channels.flatMap(({ a, b }) => [a, b]))];
  const areIndexes = names.every(
    (name) => /^(0|[1-9]\d{0,4})$/.test(name) && Number(name) < names.length,
  );
  return new Map(names.map((name, at) => [name, areIndexes ? Number(name) : at]));
}
