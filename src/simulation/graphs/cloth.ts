/**
 * Reads the three tables of the simulator CLoTH: nodes, channels, and edges, of which each channel has two: what one of its
 * nodes has in it, and asks for what goes out by it. Amounts are millisatoshi.
 */
import { parseDecimal } from '../../basics/amount.ts';
import { printable } from '../../basics/printable.ts';
import {
  isName,
  MOST_PROPORTIONAL,
  MOST_REVEAL_TIMEOUT,
  type NamedChannel,
} from '../scenario/importing/channel-list.ts';
import {
  BITCOIN,
  createProblems,
  type GraphResult,
  NO_TERMS,
  type Pieces,
  type Problems,
} from './graph.ts';
import { linesOf } from './lines.ts';

/** Each is read when the one before was read to its end. `nodes`: null when only the channels name them. */
export type ClothTables = { nodes: Pieces | null; channels: Pieces; edges: Pieces };
type Line = { place: string; cell(column: string): string };

export async function readCloth(tables: ClothTables): Promise<GraphResult> {
  const problems = createProblems();
  const nodes = new Set<string>();
  const listed = tables.nodes;
  if (listed !== null)
    await readTable(listed, { name: 'nodes', columns: ['id'], problems }, ({ place, cell }) => {
      const id = cell('id');
      if (isName(id)) nodes.add(id);
      else problems.add(`${place}: the id is no number`);
    });
  const channels = new Map<string, NamedChannel>();
  await readTable(
    tables.channels,
    { name: 'channels', columns: ['id', 'node1_id', 'node2_id'], problems },
    ({ place, cell }) => {
      const [a, b] = [cell('node1_id'), cell('node2_id')];
      if (listed === null) for (const end of [a, b]) if (isName(end)) nodes.add(end);
      const unknown = [a, b].find((end) => !nodes.has(end));
      if (unknown !== undefined)
        problems.add(`${place}: there is no node ${unknown} in the table of nodes`);
      else if (a === b) problems.add(`${place}: ${a} has a channel with itself`);
      else if (channels.has(cell('id'))) problems.add(`${place}: there are two ${cell('id')}`);
      else
        channels.set(cell('id'), {
          a,
          b,
          capacity: { a: -1n, b: -1n },
          termsA: NO_TERMS,
          termsB: NO_TERMS,
        });
    },
  );
  await readEdges(tables.edges, channels, problems);
  const found = [...channels.values()];
  const oneSided = found.filter(
    ({ capacity }) => !('a' in capacity && capacity.a >= 0n && capacity.b >= 0n),
  );
  if (oneSided.length > 0)
    problems.add(
      `edges: some channels do not have an edge for each of their nodes: ${oneSided.length}`,
    );
  return problems.resultOf({ nodes: nodes.size, channels: found, token: BITCOIN, notes: [] });
}

const EDGE_COLUMNS = [
  'channel_id',
  'from_node_id',
  'balance',
  'fee_base',
  'fee_proportional',
  'timelock',
];

function readEdges(
  pieces: Pieces,
  channels: ReadonlyMap<string, NamedChannel>,
  problems: Problems,
): Promise<void> {
  return readTable(pieces, { name: 'edges', columns: EDGE_COLUMNS, problems }, (line) => {
    const { place, cell } = line;
    const channel = channels.get(cell('channel_id'));
    const from = cell('from_node_id');
    const number = (column: string) => parseDecimal(cell(column), 19);
    const [balance, flat, rate, timelock] = [
      'balance',
      'fee_base',
      'fee_proportional',
      'timelock',
    ].map(number);
    if (channel === undefined || 'total' in channel.capacity)
      problems.add(`${place}: there is no channel ${cell('channel_id')} in the table of channels`);
    else if (from !== channel.a && from !== channel.b)
      problems.add(`${place}: node ${from} has no part in channel ${cell('channel_id')}`);
    else if (balance == null || flat == null || rate == null || timelock == null)
      problems.add(`${place}: balance, fees and timelock must be whole numbers, not below 0`);
    else {
      const terms = {
        flat,
        proportional: rate < MOST_PROPORTIONAL ? rate : MOST_PROPORTIONAL,
        revealTimeout:
          timelock === 0n ? null : timelock < MOST_REVEAL_TIMEOUT ? timelock : MOST_REVEAL_TIMEOUT,
      };
      const isFirst = from === channel.a;
      channel[isFirst ? 'termsA' : 'termsB'] = terms;
      channel.capacity[isFirst ? 'a' : 'b'] = balance;
    }
  });
}

type Table = { name: string; columns: readonly string[]; problems: Problems };

/** Its first line names the columns, some with their unit in brackets. */
async function readTable(
  pieces: Pieces,
  { name, columns, problems }: Table,
  onLine: (line: Line) => void,
): Promise<void> {
  let header: string[] | null = null;
  let at = 0;
  for await (const lines of linesOf(pieces)) {
    for (const text of lines) {
      at += 1;
      problems.count();
      if (problems.isFull()) return;
      const cells = text.split(',').map((cell) => cell.trim());
      if (text.trim() === '') continue;
      if (header === null) {
        header = cells.map((cell) => cell.replace(/\(.*\)$/, ''));
        const missing = columns.filter((column) => header?.includes(column) !== true);
        if (missing.length > 0)
          return problems.add(
            `${name}: the first line does not name ${missing.join(', ')}, but ${printable(header.join(', '))}`,
          );
        continue;
      }
      const names = header;
      onLine({
        place: `${name}, line ${at}`,
        cell: (column) => cells[names.indexOf(column)] ?? '',
      });
    }
  }
}
