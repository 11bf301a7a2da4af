/** Who pays whom in a scenario, how much and how often. */
import * as v from 'valibot';
import { distribution } from './network.ts';
import {
  type Amount,
  blockAt,
  blocks,
  decimal,
  MOST_BLOCKS,
  maybe,
  object,
  oneOf,
  selection,
  tag,
  text,
  whole,
} from './values.ts';

const uniform = object({ kind: tag('uniform', 'Any node') });
const zipf = object({
  kind: tag('zipf', 'Node n with weight 1/(n+1)^exponent: few get most'),
  exponent: decimal(0, 4),
});
const nodes = object({ kind: tag('nodes', 'Any of these'), nodes: selection });
const hubs = object({
  kind: tag('hubs', 'Any of those with the most channels'),
  count: whole(1, 10_000),
});
const gravity = object({ kind: tag('gravity', 'As likely as it has capacity') });
const next = object({
  kind: tag('next', 'So many numbers after the payer, round and round: money comes back'),
  distance: v.optional(whole(1, 9_999), 1),
});

const payers = oneOf('kind', [uniform, zipf, nodes, hubs, gravity]);
const payees = oneOf('kind', [uniform, zipf, nodes, hubs, gravity, next]);
export type Payers = v.InferOutput<typeof payers>;
export type Payees = v.InferOutput<typeof payees>;

const often = decimal(0.000001, 100_000);
const perTime = { perBlock: maybe(often), perSecond: maybe(often) };

const rate = v.pipe(
  oneOf('kind', [
    object({ kind: tag('poisson', 'At random'), ...perTime }),
    object({ kind: tag('constant', 'With equal pauses'), ...perTime }),
    object({
      kind: tag('bursts', 'Many at once, again and again'),
      payments: v.pipe(whole(1, 1_000_000), v.description('In each burst')),
      everyBlocks: blocks(1),
      withinBlocks: v.optional(blocks(1, MOST_BLOCKS, 'How long a burst takes'), 1),
    }),
  ]),
  v.check(
    (given) => given.kind === 'bursts' || (given.perBlock === null) !== (given.perSecond === null),
    'must have exactly one of per_block, per_second',
  ),
);
export type Rate = v.InferOutput<typeof rate>;

export function flowSchema(amount: Amount) {
  return object({
    name: maybe(text(60)),
    from: v.optional(payers, { kind: 'uniform' }),
    to: v.optional(payees, { kind: 'uniform' }),
    rate,
    amount: distribution(amount),
    fromBlock: v.optional(blockAt(), 0),
    untilBlock: maybe(blockAt('Absent: until the calm phase')),
    lockTimeout: maybe(blocks(1, 100_000, 'Absent: as the node chooses')),
    perDay: v.pipe(maybe(amount), v.description('The most that each payer pays in 24 hours')),
  });
}
export type Flow = v.InferOutput<ReturnType<typeof flowSchema>>;
