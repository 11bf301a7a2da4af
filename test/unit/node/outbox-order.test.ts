import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import { createOutbox } from '../../../src/node/runtime/outbox/outbox.ts';
import type { Posted } from '../../../src/node/runtime/outbox/posted.ts';
import { hashOf, NETWORK, OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import { updateOf } from '../../support/update-makers.ts';

/** Two channels with the partner, one with somebody else, and messages without a channel. */
const QUEUES = [
  { queue: 'channel:1', to: PARTNER },
  { queue: 'channel:2', to: PARTNER },
  { queue: 'channel:3', to: STRANGER },
  { queue: null, to: STRANGER },
] as const;

const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };

function sendOf(at: number, nonce: bigint, isRequest: boolean): Send {
  const { queue, to } = QUEUES[at] ?? QUEUES[0];
  const head = { type: 'send.message', key: `${queue}:${nonce}`, queue, to } as const;
  if (queue === null) {
    const message = { type: 'RevealSecret', secret: hashOf(Number(nonce)) } as const;
    return { ...head, message };
  }
  if (isRequest) {
    const facts = { participant: OWN, totalWithdraw: 1n, expiration: 9n, coopSettle: false };
    return { ...head, message: { type: 'WithdrawRequest', ...place, ...facts, nonce } };
  }
  return { ...head, message: updateOf(nonce) };
}

const at = fc.nat(QUEUES.length - 1);
const steps = fc.oneof(
  {
    arbitrary: fc.record({ type: fc.constant('add' as const), at, isRequest: fc.boolean() }),
    weight: 5,
  },
  { arbitrary: fc.record({ type: fc.constant('store' as const) }), weight: 5 },
  { arbitrary: fc.record({ type: fc.constant('answer' as const), which: fc.nat(20) }), weight: 3 },
  fc.record({ type: fc.constant('remove' as const), which: fc.nat(20) }),
  fc.record({ type: fc.constantFrom('hurry' as const, 'lacking' as const, 'due' as const), at }),
  fc.record({ type: fc.constant('drop' as const), at, nonce: fc.option(fc.bigInt(1n, 9n)) }),
  fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 9_000 }) }),
);
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

/** An outbox, and a test of everything that it lets leave. */
function watched() {
  const clock = { now: 10_000 };
  let drawn = 0n;
  let nonce = 0n;
  const box = createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => clock.now });
  const waiting = new Map<string, bigint>();
  const unstored: { key: string; messageId: bigint }[] = [];
  const keyAt = (which: number) => [...waiting.keys()][which % Math.max(1, waiting.size)] ?? '';
  const forget = (keys: readonly string[]) => {
    for (const key of keys) waiting.delete(key);
  };

  function leave(entries: readonly Posted[]): void {
    const before = new Map<string, bigint>();
    for (const entry of entries) {
      const { key, queue, to, message } = entry;
      expect(box.get(key)).toBe(entry);
      expect(entry.isStored).toBe(true);
      if (queue !== null && 'nonce' in message) {
        expect(message.nonce).toBeGreaterThan(before.get(queue) ?? 0n);
        before.set(queue, message.nonce);
      }
      if (message.type === 'WithdrawRequest' && entry.sends === 0) {
        const held = [...waiting.keys()].map((one) => box.get(one));
        const isBefore = (one: Posted | undefined) =>
          one?.to === to &&
          one.queue === queue &&
          'locksroot' in one.message &&
          one.message.nonce < message.nonce;
        expect(held.some(isBefore)).toBe(false);
      }
    }
    for (const entry of entries) box.noteSent(entry);
  }

  function take(step: Step): void {
    switch (step.type) {
      case 'pass':
        clock.now += step.ms;
        return;
      case 'add': {
        const { key, messageId } = box.add(sendOf(step.at, ++nonce, step.isRequest));
        waiting.set(key, messageId);
        unstored.push({ key, messageId });
        return;
      }
      case 'store':
        for (const { key, messageId } of unstored.splice(0)) {
          const entry = box.stored(key, messageId);
          if (entry !== null) leave([entry]);
        }
        return;
      case 'answer': {
        const key = keyAt(step.which);
        forget(box.acknowledge(waiting.get(key) ?? 0n, box.get(key)?.to ?? ''));
        return;
      }
      case 'remove': {
        const key = box.remove(keyAt(step.which));
        forget(key === null ? [] : [key]);
        return;
      }
      default:
        ask(step);
    }
  }

  function ask(step: Extract<Step, { type: 'hurry' | 'lacking' | 'due' | 'drop' }>): void {
    const { queue, to } = QUEUES[step.at] ?? QUEUES[0];
    if (step.type === 'hurry') box.hurry(to);
    else if (step.type === 'due') leave(box.due().entries);
    else if (queue === null) return;
    else if (step.type === 'drop') forget(box.dropQueue(queue, step.nonce));
    else leave(box.lacking(queue));
  }

  /** Everything is stored, and answered in the order in which it comes. Answers how many rounds that took. */
  function finish(): number {
    take({ type: 'store' });
    for (let round = 0; round < 200; round++) {
      if (waiting.size === 0) return round;
      clock.now += 31_000;
      const { entries } = box.due();
      leave(entries);
      for (const { key } of entries) {
        const isProcessed = box.get(key)?.message.type === 'Update';
        take({ type: isProcessed ? 'answer' : 'remove', which: [...waiting.keys()].indexOf(key) });
      }
    }
    return Number.POSITIVE_INFINITY;
  }

  return { box, waiting, take, finish };
}

describe('the outbox', () => {
  it('lets out what is on disk, in the order of its channel, and in the end all of it', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60, size: 'max' }), (all) => {
        const { box, waiting, take, finish } = watched();
        for (const step of all) {
          take(step);
          expect(box.size()).toBe(waiting.size);
        }
        expect(finish()).toBeLessThan(200);
      }),
      { numRuns: 500 },
    );
  });
});
