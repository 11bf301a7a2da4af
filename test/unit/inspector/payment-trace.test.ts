import { describe, expect, it } from 'vitest';
import type { InspectorSource } from '../../../src/inspector/source.ts';
import type { ActorHistory, StepRecords } from '../../../src/inspector/wire.ts';
import {
  gatherTrace,
  isPayment,
  paymentIn,
} from '../../../src/inspector-page/views/sequence/trace.ts';
import { CHANNEL, hashOf } from '../../support/makers.ts';
import { spawnOf, stepOf } from '../../support/trace-makers.ts';

const [FIRST, SECOND] = [`initiator:${hashOf(1)}`, `initiator:${hashOf(2)}`];

/** A node that knows these steps and gives out two at a time. */
function sourceOf(
  steps: readonly StepRecords[],
  asked: Record<string, string>[] = [],
): Pick<InspectorSource, 'read'> {
  const atOnce = 2;
  return {
    async read(_name, path, query = {}) {
      asked.push({ ...query, path });
      const actor = decodeURIComponent(path.split('/')[1] ?? '');
      const before = Number(query['before'] ?? Number.POSITIVE_INFINITY);
      const older = steps.filter((step) => step[0]?.actor === actor && step[0].seq < before);
      const page: ActorHistory = {
        base: null,
        steps: older.slice(-atOnce),
        hasMore: older.length > atOnce,
      };
      return Object.assign(Object.create(null), page);
    },
  };
}

const lock = (n: number) => ({ type: 'actor.addLock', secrethash: hashOf(n), amount: 5n });

/** A payment whose first attempt is followed by a second, among payments of others in the same channel. */
function twoAttempts(): StepRecords[] {
  return [
    stepOf({ seq: 1, actor: 'node', event: { type: 'cmd.pay', id: FIRST } }),
    spawnOf({ seq: 2, actor: FIRST, by: { actor: 'node', seq: 1 }, machine: 'initiator' }),
    stepOf({ seq: 3, actor: CHANNEL, event: lock(9) }),
    stepOf({ seq: 4, actor: CHANNEL, by: { actor: FIRST, seq: 2 }, event: lock(1) }),
    stepOf({
      seq: 5,
      actor: FIRST,
      by: { actor: CHANNEL, seq: 4 },
      event: { type: 'actor.refunded' },
      effects: [{ type: 'spawn.initiator', id: SECOND, input: {} }],
    }),
    spawnOf({ seq: 6, actor: SECOND, by: { actor: FIRST, seq: 5 }, machine: 'initiator' }),
    stepOf({ seq: 7, actor: CHANNEL, by: { actor: SECOND, seq: 6 }, event: lock(2) }),
    stepOf({ seq: 8, actor: SECOND, by: { actor: CHANNEL, seq: 7 }, event: { type: 'told.x' } }),
    ...Array.from({ length: 9 }, (_, n) => stepOf({ seq: 9 + n, actor: CHANNEL, event: lock(9) })),
  ];
}

describe('the trace of a payment', () => {
  const seqsOf = (steps: readonly StepRecords[]) => steps.map((step) => step[0]?.seq);

  it.each([FIRST, SECOND])(
    'gathers all attempts and what of the channel is theirs, from %s',
    async (actor) => {
      const { steps, isCut } = await gatherTrace(sourceOf(twoAttempts()), actor);
      expect(seqsOf(steps)).toEqual([1, 2, 4, 5, 6, 7, 8]);
      expect(isCut).toBe(false);
    },
  );

  it('asks a channel only for what is of the payment, from its beginning on', async () => {
    const asked: Record<string, string>[] = [];
    await gatherTrace(sourceOf(twoAttempts(), asked), FIRST);
    const ofChannel = asked.filter(({ path }) => path?.includes(encodeURIComponent(CHANNEL)));
    const about = `${hashOf(1)},${hashOf(2)}`;
    expect(ofChannel.length).toBeGreaterThan(0);
    for (const query of ofChannel) expect(query).toMatchObject({ after: '0', about });
  });

  it('says when it did not look through everything', async () => {
    const busy = Array.from({ length: 99 }, (_, n) => stepOf({ seq: 9 + n, event: lock(9) }));
    const { isCut } = await gatherTrace(sourceOf([...twoAttempts(), ...busy]), FIRST);
    expect(isCut).toBe(true);
  });

  it('is empty for an actor of which nothing is known', async () => {
    expect(await gatherTrace(sourceOf([]), FIRST)).toEqual({ steps: [], isCut: false });
  });

  it('names the payment of a step only where it is certain', () => {
    expect(isPayment(FIRST)).toBe(true);
    expect(isPayment(CHANNEL)).toBe(false);
    const target = `target:${hashOf(3)}`;
    const told = { type: 'notify', to: target, event: {} };
    expect(paymentIn(stepOf({ seq: 1, effects: [told] }))).toBeNull();
    const spawns = { type: 'spawn.target', id: target };
    expect(paymentIn(stepOf({ seq: 1, effects: [told, spawns] }))).toBe(target);
    expect(paymentIn(stepOf({ seq: 1, by: { actor: FIRST, seq: 0 }, event: lock(1) }))).toBe(FIRST);
  });
});
