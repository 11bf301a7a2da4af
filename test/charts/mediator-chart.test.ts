import { describe, expect, it } from 'vitest';
import type { SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { Effect } from '../../machines/effects.ts';
import { mediatorMachine } from '../../machines/mediator/chart.ts';
import { encode } from '../../src/store/base/codec.ts';
import {
  at,
  blockReached,
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  REVEAL_TIMEOUT,
  secretRevealed,
  txDone,
  txFailed,
} from '../support/makers.ts';
import { forMediator, mediator, PAYEE_CHANNEL } from '../support/mediation-makers.ts';
import { once } from '../support/once.ts';
import { channelClosed, lockEnded, revealSecret } from '../support/payment-makers.ts';
import { effectsOf } from '../support/played.ts';
import { restingStates, restoredStep, walk } from './paths.ts';

const DANGER = EXPIRATION - REVEAL_TIMEOUT;
const REMOVAL = EXPIRATION + 2n * CONFIRMATIONS;
const blocks = [DANGER - 1n, DANGER, EXPIRATION];

type State = SnapshotFrom<typeof mediatorMachine>;

/** What the channels, the partners and the chain can say next. */
function events({ status, value, context }: State) {
  if (status !== 'active') return [];
  const { forwarded, refused, ownLockGone, paidOnChain } = forMediator;
  const key = `secret:${context.id}:${context.jobs}`;
  return [
    // Only a channel that the mediator has asked can answer.
    ...(value.payee === 'waiting' && context.hop === 0 ? [forwarded(), refused()] : []),
    ...blocks.map((block) => at(block, revealSecret())),
    secretRevealed(EXPIRATION - 1n),
    secretRevealed(EXPIRATION),
    channelClosed(CHANNEL),
    channelClosed(PAYEE_CHANNEL),
    lockEnded.unlocked(),
    lockEnded.lockGone(),
    paidOnChain,
    ...(context.payee === null ? [] : [ownLockGone()]),
    ...(context.jobs === 0 || context.jobs > 1
      ? []
      : [txFailed(key), txDone(key, EXPIRATION - 1n), txDone(key, EXPIRATION)]),
    // The node wakes the mediator at no other block, but it may wake it late.
    ...(context.wakeBlock === null ? [] : [context.wakeBlock, EXPIRATION, REMOVAL])
      .filter((block) => block >= (context.wakeBlock ?? 0n))
      .map(blockReached),
  ];
}

describe('the chart of a mediator', () => {
  const start = mediator();
  const walked = once(() => {
    const found = getShortestPaths(mediatorMachine, {
      fromState: start.snapshot,
      events,
      serializeState: ({ value, context }) => encode([value, context]),
      serializeEvent: encode,
    });
    return walk(start, found, events);
  });
  const toldOf = (effects: readonly Effect[]) =>
    effectsOf({ effects }, 'notify').map(({ event }) => event.type);

  it('has no state that cannot be reached', () => {
    const reached = new Set(walked().paths.flatMap(({ end }) => leaves(end.value)));
    expect([...reached].sort()).toEqual(restingStates(mediatorMachine));
  });

  it('tells the payee’s channel at most once how its lock ends', () => {
    for (const { effects } of walked().paths) {
      const ends = toldOf(effects).filter((type) => /actor\.(unlock|expireLock)$/.test(type));
      expect(ends.length).toBeLessThanOrEqual(1);
    }
  });

  it('pays the payee only in a safe block, after a registration in time, or when the payer has paid', () => {
    for (const { before, event, after } of walked().steps) {
      if (!effectsOf(after, 'notify').some(({ event: told }) => told.type === 'actor.unlock'))
        continue;
      const isPaid = event.type === 'actor.unlocked';
      const isRegistered = event.type === 'chain.secretRevealed' || event.type === 'chain.tx';
      const isSafe = event.nowBlock < DANGER;
      expect([event.type, isPaid || isRegistered || isSafe]).toEqual([event.type, true]);
      expect(before.context.payee).not.toBeNull();
    }
  });

  it('never lets a lock expire once its secret is on chain in time', () => {
    for (const { before, after } of walked().steps)
      if (encode(before.value).includes('registered'))
        expect(toldOf(after.effects)).not.toContain('actor.expireLock');
  });

  it('registers no secret for a transfer that it never passed on, and none after the expiration', () => {
    for (const { before, event, after } of walked().steps)
      if (effectsOf(after, 'tx.registerSecret').length > 0) {
        expect(before.context.payee).not.toBeNull();
        expect(event.nowBlock).toBeLessThan(EXPIRATION);
      }
  });

  it('has a block to wake at or a transaction under way while it knows a secret and is unpaid', () => {
    for (const { end, effects } of walked().paths) {
      const { payer } = end.value;
      if (typeof payer !== 'object') continue;
      if (payer['unpaid'] === 'revealed') expect(end.context.payerBlock).toBe(DANGER);
      if (payer['unpaid'] !== 'registering') continue;
      const jobs = effectsOf({ effects }, 'tx.registerSecret').length;
      expect(jobs).toBe(end.context.jobs);
    }
  });

  it('wakes at the earlier of the blocks that its two sides wait for', () => {
    for (const { end } of walked().paths) {
      const { payerBlock, payeeBlock, wakeBlock } = end.context;
      const due = [payerBlock, payeeBlock].filter((block) => block !== null);
      const first = due.length === 0 ? null : due.reduce((a, b) => (a < b ? a : b));
      expect(wakeBlock).toBe(first);
    }
  });

  it('acts on one of its sides at every block for which the node wakes it', () => {
    for (const { before, event, after } of walked().steps) {
      if (event.type !== 'chain.block') continue;
      expect(before.context).not.toEqual(after.snapshot.context);
    }
  });

  it('stops the repetition of its messages before it ends', () => {
    for (const { end, effects } of walked().paths) {
      if (end.status !== 'done') continue;
      const last = effects.findLastIndex(({ type }) => type === 'send.message');
      const done = effects.findLastIndex(({ type }) => type === 'done.message');
      expect(done).toBeGreaterThanOrEqual(last);
    }
  });

  it('records its fee once, and only when the payer has paid it and it has paid the payee', () => {
    for (const { end, effects } of walked().paths) {
      const { isPaidIn, isPaidOut } = end.context;
      const counted = effectsOf({ effects }, 'record.mediated').length;
      expect(counted).toBe(isPaidIn && isPaidOut ? 1 : 0);
    }
  });

  it('behaves the same after it was stored and read again, for every event in every state', () => {
    for (const { before, event, after } of walked().steps) {
      const { value, context } = before;
      const restored = restoredStep(context.id, { value, context }, event);
      const { snapshot, effects } = after;
      const state = { value: snapshot.value, context: snapshot.context };
      expect(restored).toEqual({ state, effects });
    }
  });
});

/** The dotted names of the states that the chart is in, one for each side. */
function leaves(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return [[...path, value].join('.')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}
