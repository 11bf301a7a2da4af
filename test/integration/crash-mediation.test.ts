/** kill -9 at every point of a mediated payment, of each of the three: it ends once, and the mediator loses nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/processes.ts';
import { type Name, startTrio, type Trio } from '../support/trio.ts';
import { until } from '../support/until.ts';
import { walk } from '../support/walks.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

/**
 * Who dies where, and how often a mediated payment meets that point at least. To die before a commit is to
 * have received nothing: the model walks through that.
 */
const WALK: [Name, string, number][] = [
  ['bob', 'commit.after', 3],
  ['bob', 'publish.before', 4],
  ['bob', 'publish.after', 4],
  ['bob', 'receive.before', 4],
  ['bob', 'receive.after', 4],
  ['alice', 'commit.after', 2],
  ['carol', 'commit.after', 2],
];

/** The short run takes only a message of the mediator, and a commit of the target. */
const isFew = ([victim, point]: (typeof WALK)[number]) =>
  victim === 'carol' || (victim === 'bob' && point === 'publish.after');

let world: World;
let trio: Trio;
let wire: Wiretap;

beforeAll(async () => {
  world = await startWorld();
  trio = await startTrio(world, 1_000_000n);
  wire = await tapWire(world);
});
afterAll(async () => {
  await wire?.stop();
  await world?.stop();
});

/** A payment during which the victim dies if it meets the point; what alice is told of it, if she is. */
async function payAndDieAt(victim: Name, point: string) {
  const node = trio.nodes[victim];
  const told = { status: 0 };
  node.dieAt(point);
  const answer = trio.pay().then(
    ({ status }) => Object.assign(told, { status }),
    () => Object.assign(told, { status: -1 }),
  );
  const isDone = () => told.status !== 0 && trio.isQuiet();
  await until(() => node.isOver() || isDone(), `the payment ends, or ${victim} at ${point}`);
  node.spare();
  return { hasDied: !(await node.survives()), answer };
}

describe('a mediated payment', () => {
  it.each(walk(WALK, isFew))(
    'ends once when %s dies at %s, whichever time',
    async (victim, point, least) => {
      let deaths = 0;
      for (;;) {
        await trio.meet();
        const { hasDied, answer } = await payAndDieAt(victim, `${point}:${deaths + 1}`);
        if (!hasDied) break;
        deaths += 1;
        await trio.restart(victim);
        await trio.expectAgreement();
        const { status } = await answer;
        // A caller who was answered that the payment is made was told the truth; one without an answer may find
        // it made.
        expect(status === 200 ? [1] : [0, 1]).toContain(await trio.timesPaid());
      }
      await trio.expectAgreement();
      expect(await trio.timesPaid()).toBe(1);
      expect(deaths).toBeGreaterThanOrEqual(least);
    },
    120_000,
  );

  it('never has two different signed messages with one nonce, however often it is resumed', () => {
    expect(wire.heard()).toBeGreaterThan(10);
    expect(wire.conflicts()).toEqual([]);
  });

  it('leaves each node exactly what its records say when the channels are settled', async () => {
    await trio.expectTokens();
  });
});
