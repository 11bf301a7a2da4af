import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../../src/node/runtime/actors/kinds.ts';
import { surelyFits } from '../../../src/node/runtime/actors/shape-test.ts';
import { addLock, openChannel, withPartnersLock } from '../../support/channel-makers.ts';
import { command, initiator, node, target, tokenNetwork } from '../../support/payment-makers.ts';

const SHAPES = Object.values(KINDS).map(({ context }): v.GenericSchema => context);
const CONTEXTS: unknown[] = [
  openChannel().tell(addLock(), addLock({ n: 2 }), command.deposit(150n)).snapshot.context,
  withPartnersLock().ours.snapshot.context,
  initiator().snapshot.context,
  target().snapshot.context,
  node().snapshot.context,
  tokenNetwork().snapshot.context,
];
const GONE = Symbol('gone');
const WRONG = [GONE, undefined, null, '', '0x', 'own', 0, Number.NaN, -1n, 0n, 7n, true, [], {}];
const wrong = fc.constantFrom(...WRONG, [undefined], ['0x', null], { secrethash: '0x' });

/** The value with another one at the place to which the numbers lead; they choose a field at each step. */
function damaged(value: unknown, way: readonly number[], other: unknown): unknown {
  const [first, ...rest] = way;
  if (first === undefined || typeof value !== 'object' || value === null) return other;
  if (Array.isArray(value) && value.length === 0) return [other];
  const fields = Object.entries(value);
  const at = first % Math.max(fields.length, 1);
  const changed = fields
    .map(([name, field], index) => [name, index === at ? damaged(field, rest, other) : field])
    .filter(([, field]) => field !== GONE);
  return Array.isArray(value) ? changed.map(([, field]) => field) : Object.fromEntries(changed);
}

const state: v.GenericSchema = v.union([
  v.string(),
  v.record(
    v.string(),
    v.lazy(() => state),
  ),
]);
const OTHERS: readonly v.GenericSchema[] = [
  state,
  v.nullable(v.string(), 'own'),
  v.object({ a: v.optional(v.string()), b: v.pipe(v.string(), v.minLength(2)) }),
  v.object({ a: v.custom(() => true) }),
  v.strictObject({ a: v.string() }),
  v.pipe(v.bigint(), v.minValue(1n), v.maxValue(5n)),
  v.pipe(v.bigint(), v.maxValue(5n)),
  v.pipe(v.number(), v.minValue(1)),
];
const word = fc.constantFrom('own', 'a', '');

describe('the quick test of a stored value', () => {
  it('passes every context that a machine has', () => {
    const shapes = [KINDS.channel, KINDS.channel, KINDS.initiator, KINDS.target, KINDS.node];
    const all = [...shapes, KINDS.tokenNetwork].map(({ context }): v.GenericSchema => context);
    expect(all.map((shape, at) => surelyFits(shape, CONTEXTS[at]))).toEqual(all.map(() => true));
  });

  it('says of every damaged context what valibot says', () => {
    const way = fc.array(fc.nat({ max: 60 }), { maxLength: 5 });
    const given = [fc.constantFrom(...CONTEXTS), way, wrong] as const;
    fc.assert(
      fc.property(...given, (context, at, other) => {
        const value = damaged(context, at, other);
        const told = SHAPES.map((shape) => surelyFits(shape, value));
        expect(told).toEqual(SHAPES.map((shape) => v.is(shape, value)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('never passes what valibot refuses, whatever the shape', () => {
    const any = fc.oneof(wrong, word, fc.dictionary(word, fc.oneof(word, wrong)));
    fc.assert(
      fc.property(fc.oneof(any, fc.dictionary(word, any)), (value) => {
        for (const shape of OTHERS) if (surelyFits(shape, value)) v.assert(shape, value);
      }),
      { numRuns: 3_000 },
    );
  });
});
