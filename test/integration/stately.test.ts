/** What clients of `@statelyai/inspect` and readers of the charts learn of a payment of a real node. */
import { createWebSocketReceiver } from '@statelyai/inspect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openStately } from '../../src/host/open-stately.ts';
import { isAnswer } from '../../src/inspector/answers.ts';
import { machineDefinitions } from '../../src/inspector/charts/definitions.ts';
import { createInspector, type NodeInspector } from '../../src/inspector/inspector.ts';
import type { EdgeDefinition, StateDefinition } from '../../src/inspector/wire.ts';
import { kindOf } from '../../src/node/runtime/actors/kinds.ts';
import { decode } from '../../src/store/base/codec.ts';
import { good, type Network, startNetwork, type TestNode, TOKENS } from '../support/network.ts';
import { until } from '../support/until.ts';

let network: Network;
let alice: TestNode;
let bob: TestNode;
let inspector: NodeInspector;
let port: number;
let end: () => Promise<void>;

beforeAll(async () => {
  network = await startNetwork();
  await network.fund('alice', 100n * TOKENS);
  [alice, bob] = [await network.start('alice'), await network.start('bob')];
  inspector = createInspector({ inspection: alice.inspection });
  const api = { host: '127.0.0.1', port: 0, concurrency: 1, origins: ['https://friend.example'] };
  const log = { info() {}, warn() {}, error() {} };
  const opened = await openStately({ config: { statelyPort: 0, api }, inspector, log });
  if (!opened.ok || opened.value === null) throw new Error('the port is not open');
  ({ port, end } = opened.value);
});
afterAll(async () => {
  await end?.();
  await inspector?.end();
  await network?.stop();
});

const terms = { settleTimeout: null, revealTimeout: null };
const openChannel = () =>
  alice.openChannel({
    token: network.token,
    partner: bob.ownAddress,
    totalDeposit: 10n * TOKENS,
    ...terms,
  });
const pay = (paymentId: bigint) =>
  alice.pay({
    token: network.token,
    target: bob.ownAddress,
    amount: TOKENS,
    paymentId,
    secret: null,
    secrethash: null,
    lockTimeout: null,
    routes: null,
  });
const edgesOf = (state: StateDefinition): EdgeDefinition[] => [
  ...state.edges,
  ...state.states.flatMap(edgesOf),
];

/** How the server answers to somebody who would like to connect: `open`, or a status. */
function connecting(headers: Record<string, string>): Promise<string | number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers });
    socket.on('error', () => {});
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once('open', () => {
      resolve('open');
      socket.terminate();
    });
  });
}

describe('a payment of a node', () => {
  it('reaches a client of @statelyai/inspect, exact and without its secret', async () => {
    const seen: { type: string; sessionId: string; text: string }[] = [];
    const receiver = createWebSocketReceiver({ server: `ws://127.0.0.1:${port}` });
    receiver.subscribe((event) => {
      seen.push({ type: event.type, sessionId: event.sessionId, text: JSON.stringify(event) });
    });
    await until(() => seen.some(({ sessionId }) => sessionId === 'node'), 'the node is told');
    good(await network.whileMining(openChannel()));
    good(await pay(1n));
    const paid = ({ type, sessionId, text }: (typeof seen)[number]) =>
      type === '@xstate.snapshot' && sessionId.startsWith('initiator:') && text.includes('"paid"');
    await until(() => seen.some(paid), 'the payment is told to be paid');
    const ofPayment = seen.filter(({ sessionId }) => sessionId.startsWith('initiator:'));
    expect(ofPayment.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['@xstate.actor', '@xstate.event', '@xstate.snapshot']),
    );
    expect(ofPayment[0]?.text).toContain(`"amount":"${TOKENS}"`);
    expect(ofPayment[0]?.text).toContain('"secret":{"$redacted":"secret"}');
    const channel = seen.find(({ sessionId }) => sessionId.startsWith('channel:'));
    expect(channel?.text).toContain('{"opened":{"deposit":"idle","withdraw":"idle"}}');
  });

  it('takes only transitions that the charts have', async () => {
    const known = new Map(
      machineDefinitions().map(({ machine, root }) => [
        machine,
        new Set(edgesOf(root).map(({ id }) => id)),
      ]),
    );
    const actors = decode(await textOf('actors'));
    if (!isAnswer('actors', actors)) throw new Error('no actors');
    const taken: string[] = [];
    for (const { actor } of actors.actors) {
      const history = decode(await textOf(`actors/${encodeURIComponent(actor)}/history`));
      if (!isAnswer('history', history)) throw new Error(`no history of ${actor}`);
      const edges = history.steps.flat().flatMap((record) => {
        if (record.kind === 'transition') return record.edges;
        return record.kind === 'guard' && record.transition !== null ? [record.transition] : [];
      });
      const ways = known.get(kindOf(actor));
      expect(
        edges.filter((id) => !ways?.has(id)),
        actor,
      ).toEqual([]);
      taken.push(...edges);
    }
    expect(taken).toContain('opened|actor.addLock|0');
  });
});

async function textOf(path: string): Promise<string> {
  const response = await inspector.handle(new Request(`http://node/inspector/${path}`));
  return response.text();
}

describe('the port for clients of @statelyai/inspect', () => {
  it('lets programs and named pages in, and no other page', async () => {
    expect(await connecting({})).toBe('open');
    expect(await connecting({ origin: 'https://friend.example' })).toBe('open');
    expect(await connecting({ origin: 'https://foe.example' })).toBe(403);
    expect(await connecting({ host: 'foe.example' })).toBe(403);
  });

  it('is refused with the reason when it is taken', async () => {
    const api = { host: '127.0.0.1', port: 0, concurrency: 1 };
    const log = { info() {}, warn() {}, error() {} };
    const again = await openStately({ config: { statelyPort: port, api }, inspector, log });
    expect(again).toMatchObject({ ok: false, problem: 'stately_inspect' });
  });

  it('is not open unless the operator asked for it', async () => {
    const api = { host: '127.0.0.1', port: 0, concurrency: 1 };
    const log = { info() {}, warn() {}, error() {} };
    const opened = await openStately({ config: { api }, inspector, log });
    expect(opened).toEqual({ ok: true, value: null });
  });
});
