import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import {
  createLockGate,
  type LockQuestion,
  type LockRule,
} from '../../../src/node/runtime/knowledge/lock-gate.ts';
import type { Code } from '../../../src/protocol/codes.ts';
import { addLock, unlock, withPartnersLock } from '../../support/channel-makers.ts';
import { blockReached, CHANNEL, hashOf, PARTNER, STRANGER } from '../../support/makers.ts';
import { forwardLock, payerSide } from '../../support/mediation-makers.ts';
import { revealSecret, target } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';

const EVENTS = {
  'actor.addLock': addLock(),
  'actor.forwardLock': forwardLock(),
};
const asking = (type: keyof typeof EVENTS) => ({ to: CHANNEL, event: EVENTS[type] });
const TARGET = `target:${hashOf(1)}`;

const slotsOf = (payer: Address) => ({ kept: 36, own: payer === PARTNER ? 3 : 0 });
type Given = { locks?: readonly LockRule[]; secret?: LockRule; claim?: Code | null };

/** A gate of a node with these rules, in which the target waits for its secret. */
const gate = ({ locks = [], secret = () => null, claim = null }: Given) =>
  createLockGate(
    { rule: secret, slotsOf, ledger: { claimRefusal: () => claim } },
    (actor) =>
      actor === TARGET ? stateFrom(TARGET, target({ initiator: STRANGER }).snapshot) : null,
    locks,
  );

describe('whether this node gives or takes a lock', () => {
  it('is judged of a partner’s lock when its payment is about to begin', () => {
    const asked: LockQuestion[] = [];
    const answers = [null, 'insufficient_gas'] as const;
    const { takesLock } = gate({
      locks: [(question) => answers[asked.push(question) - 1] ?? null],
    });
    const of = effectOf(withPartnersLock().ours, 'judge.lock');
    expect([takesLock(CHANNEL, of), takesLock(CHANNEL, of)]).toEqual([true, false]);
    expect(asked[0]).toEqual({ kind: 'receive', channel: CHANNEL, asked: of.taken.input });
  });

  it.each<[keyof typeof EVENTS, LockQuestion['kind']]>([
    ['actor.addLock', 'own'],
    ['actor.forwardLock', 'forward'],
  ])('is judged when %s is delivered, and the answer travels in the event', (type, kind) => {
    const asked: LockQuestion[] = [];
    const rule: LockRule = (question) => {
      asked.push(question);
      return 'chain_unavailable';
    };
    const { judged } = gate({ locks: [rule] });
    expect(judged(asking(type))).toMatchObject({ ...EVENTS[type], refusal: 'chain_unavailable' });
    expect(asked).toMatchObject([{ kind, channel: CHANNEL }]);
  });

  it('is told to the channel with the slots that are kept for customers', () => {
    const { judged } = gate({ locks: [() => null] });
    const asked = (partner: Address) =>
      judged({ to: CHANNEL, event: forwardLock({ payer: payerSide({ partner }) }) });
    expect(asked(PARTNER)).toMatchObject({ slots: { kept: 36, own: 3 } });
    expect(asked(STRANGER)).toMatchObject({ slots: { kept: 36, own: 0 } });
  });

  it('is decided by the first rule that refuses', () => {
    const { judged } = gate({
      locks: [() => null, () => 'insufficient_gas', () => 'too_many_locks'],
    });
    expect(judged(asking('actor.addLock'))).toMatchObject({ refusal: 'insufficient_gas' });
  });

  it('changes no event when no rule refuses, or when the event brings no lock', () => {
    const event = unlock();
    const { judged } = gate({ locks: [() => 'chain_unavailable'] });
    expect(judged({ to: CHANNEL, event })).toBe(event);
    const own = asking('actor.addLock');
    expect(gate({ locks: [() => null] }).judged(own)).toBe(own.event);
  });
});

describe('whether a target shows its secret', () => {
  it('is judged when the secret comes, with the secret as known', () => {
    const asked: LockQuestion[] = [];
    const secret: LockRule = (question) => {
      asked.push(question);
      return 'insufficient_gas';
    };
    const event = revealSecret();
    const judged = gate({ secret }).judged({ to: TARGET, event });
    expect(judged).toEqual({ ...event, refusal: 'insufficient_gas' });
    const { message } = event;
    expect(asked).toMatchObject([{ kind: 'receive', asked: { secret: message.secret } }]);
  });

  it('is no question for anybody but a target', () => {
    const event = revealSecret();
    const { judged } = gate({ secret: () => 'insufficient_gas' });
    expect(judged({ to: `mediator:${hashOf(1)}`, event })).toBe(event);
  });
});

it('whether a channel is closed for what its partner owes is judged at its block', () => {
  const event = blockReached(9n);
  expect(gate({ claim: 'insufficient_gas' }).judged({ to: CHANNEL, event })).toEqual({
    ...event,
    refusal: 'insufficient_gas',
  });
  expect(gate({}).judged({ to: CHANNEL, event })).toBe(event);
});
