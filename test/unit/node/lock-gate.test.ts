import { describe, expect, it } from 'vitest';
import {
  createLockGate,
  type LockQuestion,
} from '../../../src/node/runtime/knowledge/lock-gate.ts';
import {
  addLock,
  partnersChannel,
  partnersLock,
  received,
  unlock,
} from '../../support/channel-makers.ts';
import { CHANNEL } from '../../support/makers.ts';
import { forwardLock } from '../../support/mediation-makers.ts';

const EVENTS = {
  'actor.addLock': addLock(),
  'actor.forwardLock': forwardLock(),
  'msg.lockedTransfer': received(partnersChannel({}).tell(partnersLock())),
};
const asking = (type: keyof typeof EVENTS) => ({ to: CHANNEL, event: EVENTS[type] });

describe('whether this node gives or takes a lock', () => {
  it.each<[keyof typeof EVENTS, LockQuestion['kind']]>([
    ['actor.addLock', 'own'],
    ['actor.forwardLock', 'forward'],
    ['msg.lockedTransfer', 'receive'],
  ])('is judged when %s is delivered, and the answer travels in the event', (type, kind) => {
    const asked: LockQuestion[] = [];
    const judged = createLockGate([
      (question) => {
        asked.push(question);
        return 'chain_unavailable';
      },
    ]);
    expect(judged(asking(type))).toEqual({ ...EVENTS[type], refusal: 'chain_unavailable' });
    expect(asked).toMatchObject([{ kind, channel: CHANNEL }]);
  });

  it('is decided by the first rule that refuses', () => {
    const judged = createLockGate([() => null, () => 'insufficient_gas', () => 'too_many_locks']);
    expect(judged(asking('actor.addLock'))).toMatchObject({ refusal: 'insufficient_gas' });
  });

  it('changes no event when no rule refuses, or when the event brings no lock', () => {
    const event = unlock();
    expect(createLockGate([() => 'chain_unavailable'])({ to: CHANNEL, event })).toBe(event);
    const lock = asking('actor.addLock');
    expect(createLockGate([() => null])(lock)).toBe(lock.event);
  });
});
