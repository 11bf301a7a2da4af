import { describe, expect, it } from 'vitest';
import type { SnapshotFrom } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { Effect } from '../../machines/effects.ts';
import { mediatorMachine } from '../../machines/mediator/chart.ts';
import { encode } from '../../src/store/codec.ts';
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
    // Whoever was not asked does not answer.
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
    // The node wakes it at no other block, but it may wake it late.
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

  it('tells the payee’s channel one end of its lock at most', () => {
    for (const { effects } of walked().paths) {
      const ends = toldOf(effects).filter((type) => /actor\.(unlock|expireLock)$/.test(type));
      expect(ends.length).toBeLessThanOrEqual(1);
    }
  });

  it('pays the payee only in safety, on chain in time, or when it is paid itself', () => {
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

  it('registers nothing for a transfer that never went on, and nothing after the expiration', () => {
    for (const { before, event, after } of walked().steps)
      if (effectsOf(after, 'tx.registerSecret').length > 0) {
        expect(before.context.payee).not.toBeNull();
        expect(event.nowBlock).toBeLessThan(EXPIRATION);
      }
  });

  it('waits for a block, a transaction or the payer while it knows a secret', () => {
    for (const { end, effects } of walked().paths) {
      const { payer } = end.value;
      if (typeof payer !== 'object') continue;
      if (payer['unpaid'] === 'revealed') expect(end.context.payerBlock).toBe(DANGER);
      if (payer['unpaid'] !== 'registering') continue;
      const jobs = effectsOf({ effects }, 'tx.registerSecret').length;
      expect(jobs).toBe(end.context.jobs);
    }
  });

  it('is awake at the first block that either side waits for', () => {
    for (const { end } of walked().paths) {
      const { payerBlock, payeeBlock, wakeBlock } = end.context;
      const due = [payerBlock, payeeBlock].filter((block) => block !== null);
      const first = due.length === 0 ? null : due.reduce((a, b) => (a < b ? a : b));
      expect(wakeBlock).toBe(first);
    }
  });

  it('looks at a side again, or is done with it, whenever its block has come', () => {
    for (const { before, event, after } of walked().steps) {
      if (event.type !== 'chain.block') continue;
      expect(before.context).not.toEqual(after.snapshot.context);
    }
  });

  it('leaves no message behind', () => {
    for (const { end, effects } of walked().paths) {
      if (end.status !== 'done') continue;
      const last = effects.findLastIndex(({ type }) => type === 'send.message');
      const done = effects.findLastIndex(({ type }) => type === 'done.message');
      expect(done).toBeGreaterThanOrEqual(last);
    }
  });

  it('counts what it keeps once, and only when both sides are paid', () => {
    for (const { end, effects } of walked().paths) {
      const { isPaidIn, isPaidOut } = end.context;
      const counted = effectsOf({ effects }, 'record.mediated').length;
      expect(counted).toBe(isPaidIn && isPaidOut ? 1 : 0);
    }
  });

  it('goes on from what was stored, with every event in every state', () => {
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
