/** The network of a scenario: who has channels with whom, and how much is in them. */
import * as v from 'valibot';
import { type ImportedNetwork, readImport } from '../importing/importing.ts';
import {
  type Amount,
  blockAt,
  blocks,
  decimal,
  list,
  maybe,
  object,
  oneOf,
  selection,
  share,
  tag,
  text,
  whole,
  word,
} from './values.ts';

/** Random amounts. Each is at least one of the smallest unit, and at most `most`. */
export function distribution(amount: Amount) {
  const kinds = oneOf('kind', [
    object({ kind: tag('constant', 'Always the same'), amount }),
    object({
      kind: tag('uniform', 'Any between the two, each as likely'),
      least: amount,
      most: amount,
    }),
    object({
      kind: tag('lognormal', 'Most are small, few are large'),
      median: amount,
      sigma: v.pipe(
        decimal(0, 5),
        v.description('Spread: two thirds lie between median/e^sigma and median·e^sigma'),
      ),
      most: maybe(amount),
    }),
    object({
      kind: tag('pareto', 'Few hold most of it'),
      least: amount,
      exponent: v.pipe(
        decimal(0.1, 10),
        v.description('The smaller, the heavier the tail; 1.16 is "80 % to 20 %"'),
      ),
      most: maybe(amount),
    }),
  ]);
  return v.pipe(kinds, v.title('distribution'));
}
export type Distribution = v.InferOutput<ReturnType<typeof distribution>>;

/** Reads the text of a file beside the scenario; null: there is none. */
export type ReadFile = (path: string) => string | null;

function topology(decimals: number, readFile: ReadFile) {
  const nodes = whole(1, 10_000);
  return oneOf('kind', [
    object({ kind: tag('empty', 'No channels'), nodes }),
    object({ kind: tag('line', 'Each with the next'), nodes }),
    object({
      kind: tag('ring', 'Each with the next, and the last with the first'),
      nodes: whole(3, 10_000),
    }),
    object({
      kind: tag('star', 'All with node 0'),
      nodes: nodes,
    }),
    object({
      kind: tag('grid', 'Each with its neighbours to the right and below'),
      rows: whole(1, 100),
      columns: whole(1, 100),
    }),
    object({ kind: tag('complete', 'All with all'), nodes: whole(1, 200) }),
    object({
      kind: tag(
        'scale_free',
        'Who comes opens channels, rather with those who have many (Barabási and Albert)',
      ),
      nodes,
      links: v.pipe(whole(1, 20), v.description('Channels of each node that comes (m)')),
    }),
    object({
      kind: tag(
        'small_world',
        'A ring of neighbours, and some channels that lead anywhere (Watts and Strogatz)',
      ),
      nodes,
      neighbours: v.pipe(whole(2, 100), v.description('In the ring, of each node; even (k)')),
      rewired: v.pipe(
        share,
        v.description(
          'Of the channels beyond the next neighbour, which stay so that all hangs together',
        ),
      ),
    }),
    imported(decimals, readFile),
  ]);
}

/** An imported list of channels: in a file beside the scenario, or in the scenario itself. */
function imported(decimals: number, readFile: ReadFile) {
  return object({
    kind: tag('import', 'A list of channels from elsewhere'),
    channels: v.pipe(
      object({
        file: maybe(v.pipe(text(500), v.description('Beside the scenario; .csv or .json'))),
        csv: maybe(
          v.pipe(
            v.string('must be a text'),
            v.description(
              'Lines of a,b,capacity_a,capacity_b, or of columns that the first line names',
            ),
          ),
        ),
        json: maybe(
          v.pipe(v.string('must be a text'), v.description('List of objects with these fields')),
        ),
      }),
      v.rawTransform<ImportSource, ImportedNetwork>(({ dataset, addIssue, NEVER }) => {
        const read = readImport(dataset.value, { decimals, readFile });
        if (read.ok) return read.network;
        for (const message of saidOnce(read.problems)) addIssue({ message });
        return NEVER;
      }),
    ),
  });
}

/** Problems such as "line 3: …", of which those that say the same of several lines are said once, of the first. */
function saidOnce(problems: readonly string[]): string[] {
  const places = new Map<string, string[]>();
  for (const problem of problems) {
    const [, place = '', text = ''] = /^((?:(?:line|entry) \d+: )?)(.*)$/s.exec(problem) ?? [];
    places.set(text, [...(places.get(text) ?? []), place]);
  }
  return [...places].map(([text, [first = '', ...others]]) =>
    others.length === 0 ? `${first}${text}` : `${first.replace(': ', ' and others: ')}${text}`,
  );
}

type ImportSource = { file: string | null; csv: string | null; json: string | null };

export function networkSchema(decimals: number, amount: Amount, readFile: ReadFile) {
  return object({
    topology: topology(decimals, readFile),
    token: v.optional(
      object({
        symbol: v.optional(text(20), DEFAULT_TOKEN.symbol),
        decimals: v.optional(whole(0, 18), DEFAULT_TOKEN.decimals),
      }),
      {},
    ),
    capacity: v.optional(
      v.pipe(
        distribution(amount),
        v.description('What each side of a channel has on average; an import brings its own'),
      ),
      { kind: 'constant', amount: '100 tokens' },
    ),
    split: v.optional(
      v.pipe(
        v.union([word(['even', 'opener', 'random']), share], SPLIT),
        v.description(
          'Who holds the capacity; opener: the first side all of it; a share: of the first side; an import may say so itself',
        ),
        v.transform(splitOf),
      ),
      'even',
    ),
    lines: list(
      object({
        between: v.pipe(
          v.tuple([selection, selection], 'must be two selections of nodes'),
          v.description('Any node of one with any of the other; a later line counts before'),
        ),
        delayMs: v.pipe(whole(0, 86_400_000), v.title('milliseconds')),
        loss: v.optional(v.pipe(share, v.description('Of the messages, each way')), 0),
      }),
      1_000,
    ),
  });
}
const SPLIT = 'must be even, opener, random, or the share of the first side from 0 to 1';
export const DEFAULT_TOKEN = { symbol: 'TOK', decimals: 18 };

/** The first side's share of a channel's capacity in parts per million; null: it is drawn at random. */
type Split = { firstPpm: bigint | null };

function splitOf(given: 'even' | 'opener' | 'random' | number): Split {
  if (given === 'random') return { firstPpm: null };
  if (given === 'even') return { firstPpm: 500_000n };
  return { firstPpm: given === 'opener' ? 1_000_000n : BigInt(Math.round(given * 1_000_000)) };
}

export const chainSchema = object({
  // Timestamps are whole seconds: with faster blocks they would run ahead of the clock, and nodes would refuse the
  // blocks.
  blockTime: v.optional(v.pipe(decimal(1, 3_600), v.description('Seconds')), 12),
  jitter: v.optional(
    v.pipe(share, v.description('How far single blocks lie from the block time, as a share of it')),
    0,
  ),
  startBlock: v.optional(blocks(1, 100_000_000), 1),
  confirmations: v.optional(blocks(1, 100), 5),
  gasLimit: v.optional(
    v.pipe(
      whole(1_000_000, 1_000_000_000),
      v.transform((gas) => BigInt(gas)),
    ),
    30_000_000,
  ),
  reorganisations: maybe(
    object({
      rate: v.pipe(share, v.description('Chance at each block')),
      depth: v.pipe(
        object({ least: blocks(1, 100), most: blocks(1, 100) }),
        v.check(({ least, most }) => least <= most, 'must have a least that is not above its most'),
      ),
      transactions: v.optional(
        v.pipe(
          word(['again', 'later', 'never']),
          v.description(
            'When what was in the replaced blocks is mined: at once, some blocks later, or not at all',
          ),
        ),
        'again',
      ),
    }),
  ),
  congestion: v.optional(
    v.array(
      object({
        atBlock: blockAt(),
        blocks: blocks(1),
        share: v.pipe(share, v.description('Of each block that others fill')),
      }),
    ),
    [],
  ),
  priceSpikes: v.optional(
    v.array(
      object({
        atBlock: blockAt(),
        blocks: blocks(1),
        factor: v.pipe(decimal(1, 10_000), v.description('Of the gas price')),
      }),
    ),
    [],
  ),
});
