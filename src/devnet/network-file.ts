/** A network as a file: its nodes, what each side of a channel has in it, and how fast time passes. */
import * as v from 'valibot';
import { printable } from '../basics/printable.ts';
import { nameOf } from './network/accounts.ts';

/** As many nodes as a page can add, see `more-nodes.ts`. */
const MOST_NODES = 8;
const MOST_CHANNELS = 64;
/** What each node has of every token, in the smallest unit. */
const MOST_TOKENS = 10n ** 24n;
const LONGEST = 100_000;
const DIGITS = /^\d{1,25}$/;

const blocks = v.pipe(
  v.number('is no number'),
  v.integer('is no whole number'),
  v.minValue(1, 'is below 1'),
  v.maxValue(100_000, 'is above 100000'),
);
const amount = v.pipe(
  v.string('is no text of digits'),
  v.regex(DIGITS, 'is no text of up to 25 digits'),
  v.check((text) => !DIGITS.test(text) || BigInt(text) <= MOST_TOKENS, `is above ${MOST_TOKENS}`),
);
const name = v.pipe(v.string('is no name'), v.regex(/^[a-z0-9-]{1,20}$/, 'is no name of a node'));
const shape = v.pipe(
  v.strictObject({
    version: v.literal(1, 'is not 1'),
    nodes: v.pipe(
      v.array(name),
      v.minLength(1, 'is empty'),
      v.maxLength(MOST_NODES, `has more than ${MOST_NODES}`),
    ),
    settings: v.strictObject({
      settle_timeout: blocks,
      reveal_timeout: blocks,
      block_seconds: v.pipe(
        v.number('is no number'),
        v.minValue(0.05, 'is below 0.05'),
        v.maxValue(3_600, 'is above 3600'),
      ),
    }),
    channels: v.pipe(
      v.array(
        v.strictObject({
          between: v.tuple([name, name]),
          token: v.pipe(v.string('is no text'), v.regex(/^\w{1,20}$/, 'is no symbol of a token')),
          deposits: v.tuple([amount, amount]),
        }),
      ),
      v.maxLength(MOST_CHANNELS, `has more than ${MOST_CHANNELS}`),
    ),
  }),
  v.check(
    ({ nodes }) => nodes.every((one, at) => one === nameOf(at)),
    `nodes are named ${nameOf(0)}, ${nameOf(1)}, ${nameOf(2)} and so on, in this order`,
  ),
  v.check(
    ({ nodes, channels }) =>
      channels.every(({ between: [a, b] }) => a !== b && nodes.includes(a) && nodes.includes(b)),
    'a channel is between two different ones of the nodes',
  ),
  v.check(
    ({ settings }) => settings.settle_timeout >= 2 * settings.reveal_timeout,
    'the settle timeout is at least two reveal timeouts',
  ),
);
export type NetworkFile = v.InferOutput<typeof shape>;

/** `message`: what is wrong, with the place in the file. */
export function readNetworkFile(
  text: string,
): { ok: true; value: NetworkFile } | { ok: false; message: string } {
  if (text.length > LONGEST) return { ok: false, message: 'it is too long for a network' };
  try {
    const read = v.safeParse(shape, JSON.parse(text));
    if (read.success) return { ok: true, value: read.output };
    const [issue] = read.issues;
    const place = v.getDotPath(issue);
    // Names of fields are in it, which may be anything.
    return {
      ok: false,
      message: printable(`${place === null ? '' : `${place}: `}${issue.message}`),
    };
  } catch {
    return { ok: false, message: 'it is no JSON' };
  }
}
