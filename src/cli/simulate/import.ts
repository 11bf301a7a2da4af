/** `sluice simulate import FILE`: makes a scenario of a channel graph from elsewhere. */

import { createReadStream, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../basics/message-of.ts';
import { readCloth } from '../../simulation/graphs/cloth.ts';
import { readDescribegraph } from '../../simulation/graphs/describegraph.ts';
import type { Graph, GraphResult } from '../../simulation/graphs/graph.ts';
import { withoutParallels } from '../../simulation/graphs/parallel.ts';
import { readPlainCsv } from '../../simulation/graphs/plain.ts';
import { sampleOf } from '../../simulation/graphs/sample.ts';
import { scenarioOf } from '../../simulation/graphs/scenario-of.ts';
import { MOST_CHANNELS, MOST_NODES } from '../../simulation/scenario/importing/importing.ts';
import { parseScenario } from '../../simulation/scenario/parse.ts';
import { createRandomness } from '../../simulation/world/randomness.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { nameOf } from './given.ts';
import type { IMPORT_OPTIONS } from './options.ts';
import { badUsage, counted, write } from './output.ts';
import { createProgressLine, type ProgressLine } from './progress.ts';

type ImportOptions = Values<typeof IMPORT_OPTIONS>;

/** The exit code. */
export async function runImport(
  place: string,
  { out, nodes, seed, parallel, ...left }: ImportOptions,
): Promise<number> {
  left satisfies Nothing;
  const channelFile = out.replace(/\.ya?ml$/, '.csv');
  if (channelFile === out)
    return badUsage([`--out must end in .yaml: the channels come into a .csv beside it`]);
  const there = [out, channelFile].find((path) => existsSync(path));
  if (there !== undefined)
    return badUsage([`${there} is there already: remove it, or choose another --out`]);
  const read = await graphAt(place);
  if (!read.ok) return badUsage(read.problems.map((problem) => `${place}: ${problem}`));
  const made = reduced(read.graph, { nodes, seed, parallel });
  if (!made.ok) return badUsage([`${place}: ${made.problem}`]);
  const { graph, lines } = made;
  const origin = basename(place);
  const written = scenarioOf(graph, { fileName: basename(channelFile), origin, seed });
  const parsed = parseScenario(written.yaml, nameOf(out), () => written.csv);
  if (!parsed.ok) return badUsage(parsed.problems.map(({ text }) => `${place}: ${text}`));
  try {
    // The scenario comes last: when it is there, so is what it names.
    writeFileSync(channelFile, written.csv, { flag: 'wx' });
    writeFileSync(out, written.yaml, { flag: 'wx' });
  } catch (error) {
    return badUsage([`cannot be written: ${messageOf(error)}`]);
  }
  write([...lines, `written: ${out}, ${channelFile}`, `run it: sluice simulate ${out}`]);
  return 0;
}

type Reduced = { ok: true; graph: Graph; lines: string[] } | { ok: false; problem: string };

/** One channel for each pair, and a sample if one is wanted; `lines` say what was done. */
function reduced(graph: Graph, { nodes, seed, parallel }: Omit<ImportOptions, 'out'>): Reduced {
  const single = withoutParallels(graph.channels, parallel);
  const lonely = graph.nodes - namesIn(single);
  const joined = graph.channels.length - single.length;
  const what = parallel === 'sum' ? 'summed' : 'left out, all but the largest of a pair';
  const lines = [
    `read: ${counted(graph.nodes, 'node')}, ${counted(graph.channels.length, 'channel')}`,
    ...graph.notes,
    ...(lonely === 0 ? [] : [`left out: ${counted(lonely, 'node')} without a channel`]),
    ...(joined === 0 ? [] : [`${what}: ${counted(joined, 'parallel channel')}`]),
  ];
  const sample =
    nodes === null ? null : sampleOf(single, nodes, createRandomness(seed).of('import'));
  if (sample?.ok === false)
    return {
      ok: false,
      problem: `no ${nodes} nodes hang together: its largest part has ${sample.connected}, ask for no more by --nodes`,
    };
  const channels = sample?.channels ?? single;
  const size = namesIn(channels);
  if (size > MOST_NODES || channels.length > MOST_CHANNELS)
    return {
      ok: false,
      problem: `has ${size} nodes and ${channels.length} channels, and a simulation at most ${MOST_NODES} and ${MOST_CHANNELS}: choose some by --nodes`,
    };
  const drawn = sample === null ? '' : `, a forest fire from seed ${seed}`;
  lines.push(`taken: ${counted(size, 'node')}, ${counted(channels.length, 'channel')}${drawn}`);
  return { ok: true, graph: { ...graph, channels }, lines };
}

function namesIn(channels: Graph['channels']): number {
  return new Set(channels.flatMap(({ a, b }) => [a, b])).size;
}

/** A folder has CLoTH's tables; a file is JSON of lnd, or CSV. Each file may be packed. */
async function graphAt(place: string): Promise<GraphResult> {
  const progress = createProgressLine();
  try {
    if (statSync(place).isDirectory()) return await clothAt(place, progress);
    const name = place.replace(/\.gz$/, '');
    const read = name.endsWith('.json')
      ? readDescribegraph
      : name.endsWith('.csv')
        ? readPlainCsv
        : null;
    if (read === null) return { ok: false, problems: [KINDS] };
    return await read(piecesOf(place, readingOf([place], progress)));
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { ok: false, problems: [`cannot be read: ${error.message}`] };
  } finally {
    progress.clear();
  }
}

const KINDS =
  'must be a .json file that "lncli describegraph" printed, a .csv file of channels, each also as .gz, or a folder with the tables of CLoTH';

/** Of the file system, or of unpacking. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && ('syscall' in error || 'errno' in error);
}

/** The tables of CLoTH under the names that it reads, or else under those that it writes; it need not have that of nodes. */
async function clothAt(folder: string, progress: ProgressLine): Promise<GraphResult> {
  const there = new Set(readdirSync(folder));
  const fileOf = (table: string) => {
    const names = [`${table}_ln.csv`, `${table}.csv`].flatMap((name) => [name, `${name}.gz`]);
    const name = names.find((one) => there.has(one));
    return name === undefined ? null : join(folder, name);
  };
  const [nodes, channels, edges] = ['nodes', 'channels', 'edges'].map(fileOf);
  if (channels == null || edges == null) {
    const table = channels == null ? 'channels' : 'edges';
    const problem = `has no ${table}_ln.csv and no ${table}.csv, as a folder of CLoTH has`;
    return { ok: false, problems: [problem] };
  }
  const reading = readingOf([nodes ?? null, channels, edges], progress);
  return readCloth({
    nodes: nodes == null ? null : piecesOf(nodes, reading),
    channels: piecesOf(channels, reading),
    edges: piecesOf(edges, reading),
  });
}

/** Counts the bytes of these files as they are read, packed as they are, and shows how far it is. */
function readingOf(files: readonly (string | null)[], progress: ProgressLine) {
  const whole = files.reduce((sum, file) => sum + (file === null ? 0 : statSync(file).size), 0);
  let bytes = 0;
  return (file: string, piece: Uint8Array): void => {
    bytes += piece.length;
    progress.show(bytes / Math.max(1, whole), `reading ${basename(file)}`);
  };
}

/** The bytes of a file, unpacked. */
async function* piecesOf(
  file: string,
  onRead: (file: string, piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const packed = createReadStream(file, { highWaterMark: 1_000_000 });
  packed.on('data', (piece) => {
    if (typeof piece !== 'string') onRead(file, piece);
  });
  // What goes wrong in either of them comes out of the last one.
  yield* file.endsWith('.gz') ? pipeline(packed, createGunzip(), () => {}) : packed;
}
