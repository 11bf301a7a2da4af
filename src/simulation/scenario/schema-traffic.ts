/** Who pays whom in a scenario, how much and how often. */
import * as v from 'valibot';
import { distribution } from './schema-network.ts';
import {
  type Amount,
  blocks,
  decimal,
  maybe,
  object,
  oneOf,
  selection,
  text,
  whole,
} from './values.ts';

const uniform = object({ kind: v.literal('uniform') });
const zipf = object({
  kind: v.literal('zipf'),
  exponent: v.pipe(
    decimal(0, 4),
    v.description('Node number n is taken with weight 1/(n+1)^exponent'),
  ),
});
const nodes = object({ kind: v.literal('nodes'), nodes: selection });
const hubs = object({
  kind: v.literal('hubs'),
  count: v.pipe(whole(1, 10_000), v.description('Those with the most channels')),
});
/** As often as a node has capacity. */
const gravity = object({ kind: v.literal('gravity') });
const next = object({
  kind: v.literal('next'),
  distance: v.optional(
    v.pipe(whole(1, 9_999), v.description("The payer's number and this: money goes round")),
    1,
  ),
});

const payers = oneOf('kind', [uniform, zipf, nodes, hubs, gravity]);
const payees = oneOf('kind', [uniform, zipf, nodes, hubs, gravity, next]);
export type Payers = v.InferOutput<typeof payers>;
export type Payees = v.InferOutput<typeof payees>;

const often = decimal(0.000001, 100_000);
const perTime = { perBlock: maybe(often), perSecond: maybe(often) };

const rate = v.pipe(
  oneOf('kind', [
    object({ kind: v.literal('poisson'), ...perTime }),
    object({ kind: v.literal('constant'), ...perTime }),
    object({
      kind: v.literal('bursts'),
      payments: v.pipe(whole(1, 1_000_000), v.description('In each burst')),
      everyBlocks: blocks(1),
      withinBlocks: v.optional(v.pipe(blocks(1), v.description('How long a burst takes')), 1),
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
    fromBlock: v.optional(blocks(0), 0),
    untilBlock: maybe(
      v.pipe(blocks(1), v.description('Exclusive; absent: where the calm phase begins')),
    ),
    lockTimeout: maybe(v.pipe(blocks(1, 100_000), v.description('Absent: as the node chooses'))),
  });
}
export type Flow = v.InferOutput<ReturnType<typeof flowSchema>>;
