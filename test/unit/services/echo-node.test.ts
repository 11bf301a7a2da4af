import { afterEach, describe, expect, it } from 'vitest';
import type { PaymentRequest } from '../../../src/node/routing/usable-routes.ts';
import type { FeedEvent } from '../../../src/node/runtime/commits/feed.ts';
import type { PaymentRecord } from '../../../src/node/runtime/commits/records.ts';
import type { Result } from '../../../src/protocol/codes.ts';
import { type EchoNode, LIFETIME_MS, startEcho } from '../../../src/services/echo/echo.ts';
import { until } from '../../support/until.ts';
import { OWN, PARTNER, paymentResult, STRANGER, TOKEN } from '../http/fake-node.ts';

const quiet = { info() {}, warn() {}, error() {} };
const refused = { ok: false, code: 'no_route', detail: 'nobody is there' } as const;

let echo: EchoNode;
afterEach(() => echo.stop());

/** A node with nothing but a history; `answer` decides what becomes of a payment. */
function createNode(kept = 1_000) {
  const history: PaymentRecord[] = [];
  const tried: PaymentRequest[] = [];
  const listeners = new Set<() => void>();
  let now = 0;
  let answer: (request: PaymentRequest) => Promise<Result<unknown>> = async () => ({
    ok: true,
    value: null,
  });
  const oldest = () => Math.max(1, history.length - kept + 1);
  const record = (entry: PaymentRecord) => {
    history.push(entry);
    for (const listener of listeners) listener();
  };
  return {
    tried,
    listeners,
    record,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    /** Moves the clock; the echo node looks at it when its timer rings. */
    pass(ms: number) {
      now += ms;
      for (const listener of listeners) listener();
    },
    received: (paymentId: bigint, initiator = PARTNER, time = now) =>
      record({
        event: 'EventPaymentReceivedSuccess',
        time,
        token: TOKEN,
        amount: 5n,
        initiator,
        paymentId,
      }),
    clock: {
      now: () => now,
      elapsed: () => now,
      every(_ms: number, work: () => void) {
        listeners.add(work);
        return () => void listeners.delete(work);
      },
    },
    api: {
      ownAddress: OWN,
      payments: () => ({ ok: true as const, value: history.map((record) => [record]) }),
      feed: {
        bounds: () => ({ oldest: oldest(), newest: history.length }),
        after: (seq: number, limit: number): FeedEvent[] =>
          history
            .map((entry, index) => ({
              seq: index + 1,
              time: entry.time,
              type: 'payment' as const,
              record: entry,
            }))
            .filter((event) => event.seq > seq && event.seq >= oldest())
            .slice(0, limit),
        onNew(listener: () => void) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
      async pay(request: PaymentRequest) {
        tried.push(request);
        const answered = await answer(request);
        if (!answered.ok) return answered;
        const { token, target, amount, paymentId } = request;
        const made = { token, target, amount, paymentId: paymentId ?? 0n };
        record({ event: 'EventPaymentSentSuccess', time: now, ...made });
        return { ok: true as const, value: paymentResult(request) };
      },
    },
  };
}

function start(node: ReturnType<typeof createNode>): void {
  echo = startEcho(node.api, { draw: () => 0, clock: node.clock, log: quiet });
}

describe('an echo node', () => {
  it('answers what was paid before it began and afterwards, each once', async () => {
    const node = createNode();
    node.received(1n);
    node.received(2n);
    start(node);
    await until(() => node.tried.length === 2, 'two echoes');
    node.received(3n);
    await until(() => node.tried.length === 3, 'the third echo');
    expect(node.tried.map(({ paymentId }) => paymentId)).toEqual([6n, 7n, 8n]);
    expect(node.tried[0]).toMatchObject({ target: PARTNER, amount: 5n, token: TOKEN });
  });

  it('tries again what failed, after a pause that grows', async () => {
    const node = createNode();
    node.answerWith(async () => refused);
    start(node);
    node.received(1n);
    await until(() => node.tried.length === 1, 'the first try');
    node.pass(999);
    node.received(1n, STRANGER);
    await until(() => node.tried.length === 2, 'the first try for another');
    node.pass(1);
    await until(() => node.tried.length === 3, 'the second try');
    node.pass(1_999);
    await until(() => node.tried.length === 4, 'the second try for another');
    node.answerWith(async () => ({ ok: true, value: null }));
    node.pass(1);
    await until(() => node.tried.length === 5, 'the third try');
    expect(node.tried.map(({ target }) => target)).toEqual([
      PARTNER,
      STRANGER,
      PARTNER,
      STRANGER,
      PARTNER,
    ]);
  });

  it('gives a payer up after a day, and no other', async () => {
    const node = createNode();
    node.received(1n);
    node.pass(LIFETIME_MS + 1);
    node.received(2n, STRANGER);
    start(node);
    await until(() => node.tried.length === 1, 'an echo');
    node.received(3n, STRANGER);
    await until(() => node.tried.length === 2, 'the next echo');
    expect(node.tried.map(({ target }) => target)).toEqual([STRANGER, STRANGER]);
  });

  it('pays each payer one echo after the other, and keeps nobody waiting for another', async () => {
    const node = createNode();
    let release = () => {};
    node.answerWith(({ target }) =>
      target === STRANGER
        ? Promise.resolve({ ok: true, value: null })
        : new Promise((resolve) => {
            release = () => resolve({ ok: true, value: null });
          }),
    );
    node.received(1n);
    node.received(2n);
    node.received(1n, STRANGER);
    node.received(2n, STRANGER);
    start(node);
    await until(() => node.tried.length === 3, 'the echoes that can be paid');
    expect(node.tried.filter(({ target }) => target === PARTNER)).toHaveLength(1);
    release();
    await until(() => node.tried.length === 4, 'the echo that waited');
  });

  it('reads the history again when the feed has dropped what it had not read', async () => {
    const node = createNode(2);
    start(node);
    node.received(1n);
    await until(() => node.tried.length === 1, 'the first echo');
    await until(() => node.api.feed.bounds().newest === 2, 'it is in the history');
    for (const id of [2n, 3n, 4n, 5n]) node.received(id);
    await until(() => node.tried.length === 5, 'all echoes');
    const identifiers = node.tried.map(({ paymentId }) => paymentId);
    expect(identifiers).toEqual([6n, 7n, 8n, 9n, 10n]);
  });

  it('ends when the node cannot go on, and listens no more', async () => {
    const node = createNode();
    node.answerWith(() => Promise.reject(new Error('broken')));
    start(node);
    expect(node.listeners.size).not.toBe(0);
    node.received(1n);
    await until(() => node.listeners.size === 0, 'it has ended');
    expect(node.tried).toHaveLength(1);
  });
});
