/** Locks that one Update of a partner brings, and what this node promises for each. */
import { expect, it } from 'vitest';
import type { Spawn } from '../../../machines/effects.ts';
import { createPendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  inOneBatch,
  openChannel,
  partnersChannel,
  partnersLock,
  receivedAll,
  SIGN,
} from '../../support/channel-makers.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { CHANNEL, deposited, hashOf, NOW, OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import { PAYEE, PAYEE_CHANNEL } from '../../support/mediation-makers.ts';

const input = openChannel().snapshot.context;
const spawns: Spawn[] = [
  { type: 'spawn.channel', id: CHANNEL, input },
  { type: 'spawn.channel', id: PAYEE_CHANNEL, input: { ...input, channelId: 2n, partner: PAYEE } },
];

/** The partner's Update with so many locks of 1 for a node behind the payee. */
function updateWith(count: number) {
  const metadata = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);
  const locks = Array.from({ length: count }, (_, n) =>
    partnersLock({ n: n + 1, amount: 1n, target: STRANGER, metadata }),
  );
  return receivedAll(
    inOneBatch(partnersChannel({}))
      .tell(...locks)
      .tell(SIGN),
  );
}

it('of several locks in one Update each is passed on when those before it count as promised', () => {
  const pending = createPendingLocks();
  const promised: number[] = [];
  const node = onDisk({
    resolve: (name) => (name.startsWith('hop:') ? PAYEE_CHANNEL : name),
    judged({ event }) {
      if (event.type !== 'actor.forwardLock') return event;
      for (let n = 1; n <= 3; n++) {
        const state = node.stateOf(`mediator:${hashOf(n)}`);
        if (state !== null) pending.note(`mediator:${hashOf(n)}`, state);
      }
      promised.push(pending.of(PARTNER).all);
      return promised.length < 3 ? event : { ...event, refusal: 'too_many_locks' };
    },
  });
  node.clock.block = NOW;
  for (const spawn of spawns) {
    node.collect('node', spawn);
    node.turn([ignored]);
    for (const who of [OWN, PARTNER]) node.turn([{ to: spawn.id, event: deposited(who, 100n) }]);
  }
  const [update] = updateWith(3);
  if (update === undefined) throw new Error('no Update');
  node.turn([{ to: CHANNEL, event: update }]);
  expect(promised).toEqual([0, 1, 2]);
});
