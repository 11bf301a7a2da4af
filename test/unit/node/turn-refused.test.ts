/** A partner's message that its channel refuses: it costs neither a commit nor anything after one. */
import { expect, it } from 'vitest';
import type { Spawn } from '../../../machines/effects.ts';
import {
  openChannel,
  partnersChannel,
  partnersLock,
  received,
} from '../../support/channel-makers.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { CHANNEL, deposited, PARTNER, STRANGER } from '../../support/makers.ts';

const spawn: Spawn = { type: 'spawn.channel', id: CHANNEL, input: openChannel().snapshot.context };
const event = received(partnersChannel({}).tell(partnersLock()));
const right = { to: CHANNEL, event };
const wrong = { to: CHANNEL, event: { ...event, sender: STRANGER } };

/** A node with the channel on disk. */
function withChannel() {
  const node = onDisk();
  node.collect('node', spawn);
  node.turn([ignored, { to: CHANNEL, event: deposited(PARTNER, 100n) }]);
  node.flush();
  for (const before of [node.batches, node.performed, node.told]) before.length = 0;
  return node;
}

it('the turn answers why, and a turn without one answers nothing', () => {
  const node = withChannel();
  expect(node.turn([wrong])).toMatchObject({ reason: 'signed by a stranger', change: null });
  expect(node.turn([ignored])).toBeNull();
  expect(node.turn([wrong, ignored])).toMatchObject({
    reason: 'signed by a stranger',
    change: null,
  });
  expect(node.turn([right])).toBeNull();
});

it('a thousand of them cause no commit, and nothing is done for them', () => {
  const node = withChannel();
  for (let n = 0; n < 1_000; n++) node.turn([wrong]);
  node.flush();
  expect(node.batches).toEqual([]);
  expect(node.performed).toEqual([]);
  expect(node.told).toEqual([]);
});

it('the journal tells of 20 of them in the next commit', () => {
  const node = withChannel();
  for (let n = 0; n < 30; n++) node.turn([wrong]);
  node.turn([right]);
  node.flush();
  expect(node.batches).toHaveLength(1);
  const steps = node.batches[0]?.journal.filter(
    ({ actor, kind }) => actor === CHANNEL && kind === 'event',
  );
  expect(steps).toHaveLength(21);
});
