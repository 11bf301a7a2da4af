import { describe, expect, it } from 'vitest';
import {
  createLockGate,
  type LockQuestion,
} from '../../../src/node/runtime/knowledge/lock-gate.ts';
import { addLock, unlock } from '../../support/channel-makers.ts';
import { CHANNEL, EXPIRATION, hashOf, PARTNER } from '../../support/makers.ts';
import { forwardLock } from '../../support/mediation-makers.ts';

const EVENTS = {
  'actor.addLock': addLock(),
  'actor.forwardLock': forwardLock(),
};
const lock = { amount: 10n, secrethash: hashOf(1), expiration: EXPIRATION };
const asking = (type: keyof typeof EVENTS) => ({ to: CHANNEL, event: EVENTS[type] });

describe('whether this node gives or takes a lock', () => {
  it('is judged of a partner’s lock when its payment is about to begin', () => {
    const asked: LockQuestion[] = [];
    const answers = [null, 'insufficient_gas'] as const;
    const { takesLock } = createLockGate([(question) => answers[asked.push(question) - 1] ?? null]);
    const of = { partner: PARTNER, lock };
    expect([takesLock(CHANNEL, of), takesLock(CHANNEL, of)]).toEqual([true, false]);
    expect(asked[0]).toEqual({ kind: 'receive', channel: CHANNEL, ...of });
  });

  it.each<[keyof typeof EVENTS, LockQuestion['kind']]>([
    ['actor.addLock', 'own'],
    ['actor.forwardLock', 'forward'],
  ])('is judged when %s is delivered, and the answer travels in the event', (type, kind) => {
    const asked: LockQuestion[] = [];
    const { judged } = createLockGate([
      (question) => {
        asked.push(question);
        return 'chain_unavailable';
      },
    ]);
    expect(judged(asking(type))).toEqual({ ...EVENTS[type], refusal: 'chain_unavailable' });
    expect(asked).toMatchObject([{ kind, channel: CHANNEL }]);
  });

  it('is decided by the first rule that refuses', () => {
    const { judged } = createLockGate([
      () => null,
      () => 'insufficient_gas',
      () => 'too_many_locks',
    ]);
    expect(judged(asking('actor.addLock'))).toMatchObject({ refusal: 'insufficient_gas' });
  });

  it('changes no event when no rule refuses, or when the event brings no lock', () => {
    const event = unlock();
    expect(createLockGate([() => 'chain_unavailable']).judged({ to: CHANNEL, event })).toBe(event);
    const own = asking('actor.addLock');
    expect(createLockGate([() => null]).judged(own)).toBe(own.event);
  });
});
