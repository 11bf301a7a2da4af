import { describe, expect, it } from 'vitest';
import type { SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { Effect } from '../../machines/effects.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { ActorEvent } from '../../machines/events.ts';
import { initiatorMachine } from '../../machines/initiator/chart.ts';
import { stateText } from '../../machines/tags.ts';
import { targetMachine } from '../../machines/target/chart.ts';
import type { StoredState } from '../../src/node/runtime/actors/kinds.ts';
import { encode } from '../../src/store/base/codec.ts';
import {
  at,
  blockReached,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  NOW,
  REVEAL_TIMEOUT,
  STRANGER,
  secretRevealed,
  txDone,
  txFailed,
} from '../support/makers.ts';
import { once } from '../support/once.ts';
import {
  attemptOf,
  channelClosed,
  forInitiator,
  initiator,
  lockEnded,
  orderOf,
  revealSecret,
  target,
} from '../support/payment-makers.ts';
import { effectsOf } from '../support/played.ts';
import { restingStates, restoredStep, walk } from './paths.ts';

const DANGER = EXPIRATION - REVEAL_TIMEOUT;
const secretsOnChain = [EXPIRATION - 1n, EXPIRATION].map((block) => secretRevealed(block));
const secretsByHand = [NOW, EXPIRATION - 1n, EXPIRATION].map((block) => at(block, revealSecret()));

type AnyStep = {
  before: Pick<StoredState, 'value' | 'context'>;
  event: Stamped<ActorEvent>;
  after: { snapshot: { value: unknown; context: unknown }; effects: readonly unknown[] };
};

function expectGoesOn(id: string, steps: readonly AnyStep[]): void {
  for (const { before, event, after } of steps) {
    const { value, context } = before;
    const restored = restoredStep(id, { value: stateText(value), context }, event);
    expect(restored).toEqual({
      state: { value: after.snapshot.value, context: after.snapshot.context },
      effects: after.effects,
    });
  }
}

describe('the chart of an initiator', () => {
  const { lockAdded, lockRefused, refunded, secretRequest } = forInitiator;
  const alternatives = [attemptOf()];
  const start = initiator({ order: orderOf({ alternatives }) });
  /** Its lock carries the secret: nothing may follow from its alternatives once there is a lock. */
  const offering = initiator({
    order: orderOf({ alternatives, sealedSecret: `0x${'ab'.repeat(92)}` }),
  });
  const events = ({ status, value, context }: SnapshotFrom<typeof initiatorMachine>) =>
    status !== 'active'
      ? []
      : [
          ...(value === 'locking' ? [lockAdded, lockRefused('insufficient_balance')] : []),
          secretRequest(),
          secretRequest({ amount: 9n }),
          secretRequest({ sender: STRANGER }),
          at(EXPIRATION, secretRequest()),
          ...secretsByHand,
          revealSecret(STRANGER),
          ...secretsOnChain,
          channelClosed(),
          refunded(),
          refunded('channel:none:1'),
          // The node wakes the initiator at no other block.
          ...(context.wakeBlock === null ? [] : [blockReached(context.wakeBlock)]),
        ];
  const walkedFrom = (from: typeof start) => {
    const found = getShortestPaths(initiatorMachine, {
      fromState: from.snapshot,
      events,
      serializeState: ({ value, context }) => encode([value, context]),
      serializeEvent: encode,
    });
    return walk(from, found, events);
  };
  const walked = once(() => {
    const [asked, offered] = [walkedFrom(start), walkedFrom(offering)];
    return {
      paths: [...asked.paths, ...offered.paths],
      steps: [...asked.steps, ...offered.steps],
    };
  });
  const revealsOf = (effects: readonly Effect[]) => effectsOf({ effects }, 'send.message');

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(initiatorMachine));
  });

  it('answers its caller once, when it ends, unless another attempt does', () => {
    for (const { end, effects } of walked().paths) {
      const replies = effects.filter(({ type }) => type.startsWith('reply.'));
      const isOver = end.status === 'done' && end.value !== 'replaced';
      expect(replies).toHaveLength(isOver ? 1 : 0);
      const records = effects.filter(({ type }) => type.startsWith('record.'));
      expect(records).toHaveLength(replies.length);
    }
  });

  it('is followed by at most one other attempt, with another secrethash, and only if it never showed its secret', () => {
    for (const { end, effects } of walked().paths) {
      const isLeft = end.value === 'abandoned' || end.value === 'replaced';
      const spawned = effectsOf({ effects }, 'spawn.initiator');
      expect(spawned).toHaveLength(isLeft ? 1 : 0);
      if (isLeft) expect(revealsOf(effects)).toEqual([]);
      for (const { input } of spawned)
        expect(input.order.secrethash).not.toBe(end.context.order.secrethash);
    }
  });

  it('counts as paid exactly when its channel is told to unlock', () => {
    for (const { end, effects } of walked().paths) {
      const told = effectsOf({ effects }, 'notify').map(({ event }) => event.type);
      // Of an abandoned attempt, the lock is the payee's when the secret came out nevertheless.
      const isLeaked = end.value === 'replaced' && told.includes('actor.secretRegistered');
      expect(told.includes('actor.unlock')).toBe(end.value === 'paid' || isLeaked);
      if (told.includes('actor.unlock')) expect(told).not.toContain('actor.expireLock');
    }
  });

  it('never shows the secret of a spoilt payment, nor any secret before the target asks for it', () => {
    for (const { end, effects } of walked().paths) {
      if (end.context.isSpoilt) expect(revealsOf(effects)).toEqual([]);
      if (end.value === 'locking' || end.value === 'locked') expect(revealsOf(effects)).toEqual([]);
      expect(revealsOf(effects).length).toBeLessThanOrEqual(1);
    }
  });

  it('stops the repetition of the secret before it ends', () => {
    for (const { end, effects } of walked().paths)
      if (end.status === 'done' && revealsOf(effects).length > 0)
        expect(effectsOf({ effects }, 'done.message').length).toBeGreaterThan(0);
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    expectGoesOn(start.snapshot.context.id, walked().steps);
  });
});

describe('the chart of a target', () => {
  const start = target();
  const events = ({ status, context }: SnapshotFrom<typeof targetMachine>) =>
    status !== 'active'
      ? []
      : [
          ...secretsByHand,
          ...secretsOnChain,
          channelClosed(),
          channelClosed('channel:other:1'),
          lockEnded.unlocked(),
          lockEnded.lockGone(),
          ...(context.jobs > 2
            ? []
            : [
                txFailed(`secret:${context.id}:${context.jobs}`),
                txDone(`secret:${context.id}:${context.jobs}`, EXPIRATION - 1n),
                txDone(`secret:${context.id}:${context.jobs}`, EXPIRATION),
                ...(context.wakeBlock === null
                  ? []
                  : [blockReached(context.wakeBlock), blockReached(EXPIRATION)]),
              ]),
        ];
  const walked = once(() => {
    const found = getShortestPaths(targetMachine, {
      fromState: start.snapshot,
      events,
      serializeState: ({ value, context }) => encode([value, context]),
      serializeEvent: encode,
    });
    return walk(start, found, events);
  });

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.map(({ end }) => end.value));
    expect([...reached].sort()).toEqual(restingStates(targetMachine));
    expect(target({ nowBlock: DANGER }).snapshot.value).toBe('expiring');
  });

  it('records a received payment once, exactly when its lock was unlocked', () => {
    for (const { end, effects } of walked().paths)
      expect(effectsOf({ effects }, 'record.paymentReceived')).toHaveLength(
        end.value === 'paid' ? 1 : 0,
      );
  });

  it('registers nothing but the secret of its lock, and nothing after the expiration', () => {
    for (const { event, after } of walked().steps)
      for (const tx of effectsOf(after, 'tx.registerSecret')) {
        expect(tx.secret).toBe(after.snapshot.context.secret);
        expect(event.nowBlock).toBeLessThan(EXPIRATION);
      }
  });

  it('always has a block to wake at or a transaction under way while it knows a secret that is not on chain', () => {
    for (const { end, effects } of walked().paths)
      if (end.value === 'revealed') expect(end.context.wakeBlock).toBe(DANGER);
      else if (end.value === 'registering') {
        const isUnderWay = effectsOf({ effects }, 'tx.registerSecret').length === end.context.jobs;
        expect(isUnderWay).toBe(true);
      }
  });

  it('stops the repetition of its messages before it ends', () => {
    for (const { end, effects } of walked().paths)
      if (end.status === 'done')
        expect(effectsOf({ effects }, 'done.message').map(({ key }) => key)).toEqual(
          expect.arrayContaining([`request:target:${hashOf(1)}`, `reveal:target:${hashOf(1)}`]),
        );
  });

  it('tells its channel of a secret only when it was registered in time', () => {
    for (const { event, after } of walked().steps)
      for (const { event: told } of effectsOf(after, 'notify')) {
        expect(told.type).toBe('actor.secretRegistered');
        const isLate = event.type === 'chain.tx' && event.ok && event.minedBlock >= EXPIRATION;
        expect(isLate).toBe(false);
      }
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    expectGoesOn(start.snapshot.context.id, walked().steps);
  });

  it('may wait for its lock’s end longer than the confirmations of its payer', () => {
    const silent = start.tell(blockReached(EXPIRATION + CONFIRMATIONS));
    expect(silent.snapshot.context.wakeBlock).toBeNull();
  });
});
