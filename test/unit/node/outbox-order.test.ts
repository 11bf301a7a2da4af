import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import { createOutbox } from '../../../src/node/runtime/outbox.ts';
import { NO_LOCKS_ROOT } from '../../../src/protocol/lock.ts';
import { hashOf, NETWORK, OWN, PARTNER, STRANGER } from '../../support/makers.ts';

/** Two channels with the partner, one with somebody else, and messages without a channel. */
const QUEUES = [
  { queue: 'channel:1', to: PARTNER },
  { queue: 'channel:2', to: PARTNER },
  { queue: 'channel:3', to: STRANGER },
  { queue: null, to: STRANGER },
] as const;

const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
const amounts = { transferredAmount: 0n, lockedAmount: 0n, locksroot: NO_LOCKS_ROOT };

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
  const rest = { recipient: to, secrethash: hashOf(1) };
  return { ...head, message: { type: 'LockExpired', ...place, ...amounts, ...rest, nonce } };
}

type Kept = { send: Send; attempts: number; nextTime: number; isStored: boolean };

/** What the outbox promises, as a walk over all that waits, in the order in which it was added. */
function plainOutbox(now: () => number) {
  let kept: Kept[] = [];
  const keyOf = ({ send }: Kept) => send.key;
  const nonceOf = ({ send: { message } }: Kept) => ('nonce' in message ? message.nonce : null);
  const isProof = ({ send }: Kept) => 'locksroot' in send.message;
  const isHeld = (one: Kept) =>
    one.send.message.type === 'WithdrawRequest' &&
    kept.some(
      (other) =>
        other.send.queue === one.send.queue &&
        isProof(other) &&
        (nonceOf(other) ?? 0n) < (nonceOf(one) ?? 0n),
    );
  const mayLeave = (one: Kept) => one.isStored && !isHeld(one);
  const remove = (key: string) => {
    kept = kept.filter((one) => keyOf(one) !== key);
  };
  return {
    size: () => kept.length,
    add(send: Send) {
      remove(send.key);
      kept.push({ send, attempts: 0, nextTime: 0, isStored: false });
    },
    remove,
    store(key: string) {
      for (const one of kept) if (keyOf(one) === key) one.isStored = true;
    },
    sent(keys: readonly string[]) {
      for (const one of kept.filter((waiting) => keys.includes(keyOf(waiting)))) {
        one.nextTime = now() + Math.min(500 * 2 ** one.attempts, 30_000);
        one.attempts += 1;
      }
    },
    hurry(to: string) {
      for (const one of kept)
        if (one.send.to === to) Object.assign(one, { attempts: 0, nextTime: 0 });
    },
    drop(queue: string, upToNonce: bigint | null) {
      const dropped = kept.filter(
        (one) =>
          one.send.queue === queue &&
          (upToNonce === null || (isProof(one) && (nonceOf(one) ?? 0n) <= upToNonce)),
      );
      kept = kept.filter((one) => !dropped.includes(one));
      return dropped.map(keyOf);
    },
    ofQueue: (queue: string) =>
      kept.filter((one) => one.send.queue === queue && mayLeave(one)).map(keyOf),
    due() {
      const ripe = kept.filter((one) => one.nextTime <= now() && mayLeave(one));
      const queues = ripe.map(({ send }) => send.queue).filter((queue) => queue !== null);
      return kept
        .filter((one) => ripe.includes(one) || queues.some((queue) => queue === one.send.queue))
        .filter(mayLeave)
        .map(keyOf);
    },
  };
}

const at = fc.nat(QUEUES.length - 1);
/** Few, so that a step often finds a message that waits. */
const nonce = fc.bigInt(1n, 4n);
const steps = fc.oneof(
  {
    arbitrary: fc.record({ type: fc.constant('add' as const), at, nonce, isRequest: fc.boolean() }),
    weight: 3,
  },
  { arbitrary: fc.record({ type: fc.constant('store' as const), at, nonce }), weight: 6 },
  fc.record({ type: fc.constant('remove' as const), at, nonce }),
  fc.record({ type: fc.constantFrom('hurry' as const, 'repeat' as const), at }),
  fc.record({ type: fc.constant('drop' as const), at, nonce: fc.option(nonce) }),
  fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: -700, max: 9_000 }) }),
);
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

const keysOf = (posted: readonly { key: string }[]) => posted.map(({ key }) => key);

/** The outbox and the plain one, on one clock. */
function both() {
  const clock = { now: 10_000 };
  let drawn = 0n;
  const box = createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => clock.now });
  return { clock, box, plain: plainOutbox(() => clock.now) };
}

/** Does the same to both, and expects the same answers. */
function play({ clock, box, plain }: ReturnType<typeof both>, step: Step): void {
  if (step.type === 'pass') {
    clock.now += step.ms;
    return;
  }
  const { queue, to } = QUEUES[step.at] ?? QUEUES[0];
  const key = `${queue}:${'nonce' in step ? step.nonce : 0n}`;
  switch (step.type) {
    case 'add': {
      const send = sendOf(step.at, step.nonce, step.isRequest);
      box.add(send);
      plain.add(send);
      break;
    }
    case 'store': {
      const entry = box.get(key);
      if (entry !== undefined) box.noteStored(entry);
      plain.store(key);
      break;
    }
    case 'remove':
      box.remove(key);
      plain.remove(key);
      break;
    case 'hurry':
      box.hurry(to);
      plain.hurry(to);
      break;
    case 'repeat': {
      const due = box.due();
      for (const one of due) box.noteSent(one);
      plain.sent(keysOf(due));
      break;
    }
    case 'drop':
      if (queue === null) return;
      expect(box.dropQueue(queue, step.nonce)).toEqual(plain.drop(queue, step.nonce));
  }
}

describe('the order of the outbox', () => {
  it('is that of a walk over all that waits, whatever was added, sent, answered and hurried', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60, size: 'max' }), (all) => {
        const pair = both();
        const { box, plain } = pair;
        for (const step of all) {
          play(pair, step);
          expect(box.size()).toBe(plain.size());
          expect(keysOf(box.due())).toEqual(plain.due());
          for (const { queue } of QUEUES)
            if (queue !== null) expect(keysOf(box.ofQueue(queue))).toEqual(plain.ofQueue(queue));
        }
      }),
      { numRuns: 500 },
    );
  });
});
