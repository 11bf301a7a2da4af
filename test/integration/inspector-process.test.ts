/**
 * The inspector of a real node, whose journal is read by a thread of its own: over a death of the node, beside
 * readers who stall, flood and leave, and without any secret.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectBroker, type NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAddress } from '../../src/basics/hex.ts';
import { createEventReader } from '../../src/inspector/event-stream.ts';
import type { StepRecords } from '../../src/inspector/wire.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { type NodeProcess, startWorld, TOKENS, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const SECRET = `0x${'c0ffee22'.repeat(8)}` as const;

let world: World;
let wire: NatsConnection;
let alice: NodeProcess;
let bob: NodeProcess;
/** Every signature between the nodes. */
const signatures = new Set<string>();
/** Everything that the inspectors said. */
const served: string[] = [];

beforeAll(async () => {
  world = await startWorld();
  wire = await connectBroker({ servers: world.natsUrl });
  wire.subscribe('sluice.*.*.*', {
    callback(_, { subject, data }) {
      const to = parseAddress(subject.split('.').at(-1));
      for (const { signature } of to === null ? [] : world.read(to, data))
        if (signature !== null) signatures.add(signature.slice(2));
    },
  });
  await wire.flush();
  [alice, bob] = await Promise.all([world.start('alice'), world.start('bob', { isHere: true })]);
  await world.fund(alice.address, TOKENS);
  const request = {
    token_address: world.token,
    partner_address: bob.address,
    total_deposit: String(TOKENS),
  };
  const opened = await world.whileMining(alice.api.put('/channels', request));
  expect(opened.status).toBe(201);
  const isKnown = async () => (await bob.api.channel(world.token, alice.address)) !== null;
  await world.whileMining(until(isKnown, 'bob to know of the channel'));
});
afterAll(async () => {
  await wire?.close();
  await world?.stop();
});

async function pay(more: Record<string, string> = {}): Promise<void> {
  const body = { amount: '1', ...more };
  const paid = await alice.api.post(`/payments/${world.token}/${bob.address}`, body);
  expect(paid.status).toBe(200);
}

/** Reads a node's stream until it leaves or the node dies. */
async function listen(node: NodeProcess, id: number | null = null) {
  const leaving = new AbortController();
  const headers: Record<string, string> = id === null ? {} : { 'last-event-id': `${id}` };
  const url = `${node.api.url}/inspector/events`;
  let response = await fetch(url, { headers, signal: leaving.signal });
  // Readers who have left may still have their places.
  await until(async () => {
    if (response.status === 503) response = await fetch(url, { headers, signal: leaving.signal });
    return response.status === 200;
  }, 'a place');
  const steps: StepRecords[] = [];
  const events = createEventReader((_, added) => steps.push(...added));
  void (async () => {
    for await (const chunk of response.body ?? []) {
      const text = new TextDecoder().decode(chunk);
      served.push(text);
      events.take(text);
    }
  })().catch(() => {});
  const paid = () =>
    steps.flat().filter((record) => record.kind === 'spawn' && record.machine === 'initiator')
      .length;
  return { steps, paid, leave: () => leaving.abort() };
}

async function get(node: NodeProcess, path: string): Promise<string> {
  const response = await fetch(`${node.api.url}/inspector/${path}`);
  const text = await response.text();
  expect([path, response.status]).toEqual([path, 200]);
  served.push(text);
  return text;
}

const numbers = (steps: readonly StepRecords[]) => steps.map(([first]) => first?.seq ?? 0);

it('a reader who comes back after the death of the node misses nothing and hears nothing twice', async () => {
  const first = await listen(alice, 0);
  await pay({ secret: SECRET, secret_hash: secrethashOf(SECRET) });
  await until(() => first.paid() === 1, 'the first payment');
  const before = [...first.steps];
  const last = numbers(before).at(-1) ?? 0;
  await pay();
  await alice.kill();
  alice = await world.start('alice');
  await pay();
  const second = await listen(alice, last);
  await until(() => second.paid() === 2, 'the payments after it');
  const all = numbers([...before, ...second.steps]);
  expect(all).toEqual([...new Set(all)]);
  expect(all).toEqual([...all].sort((a, b) => a - b));
  const kinds = new Set([...before, ...second.steps].flat().map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(expect.arrayContaining(['commit', 'effect', 'guard', 'spawn']));
  expect(hasGap([...before, ...second.steps])).toBe(false);
  second.leave();
});

it('payments go on beside readers who stall, flood and leave', async () => {
  const stalled = connect(Number(new URL(alice.api.url).port), '127.0.0.1');
  stalled.write('GET /inspector/events?last_event_id=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  // It has its place among the 32 then.
  await once(stalled, 'data');
  stalled.pause();
  const crowd = await Promise.all(Array.from({ length: 31 }, () => listen(alice)));
  const refused = await fetch(`${alice.api.url}/inspector/events`);
  expect(refused.status).toBe(503);
  for (const { leave } of crowd.slice(0, 16)) leave();
  await Promise.all(Array.from({ length: 20 }, () => pay()));
  await until(
    () => crowd.slice(16).every(({ paid, steps }) => paid() === 20 || hasGap(steps)),
    'all',
    // The thread that writes for readers gets only what the node leaves, which is little on a busy machine.
    150_000,
  );
  for (const { leave } of crowd) leave();
  stalled.destroy();
  const again = await listen(alice);
  await pay();
  await until(() => again.paid() === 1, 'a payment after them');
  again.leave();
}, 240_000);

/** Whether steps were left out; of a single actor, a gap only says that its state was read anew. */
const hasGap = (steps: readonly StepRecords[]) =>
  steps.flat().some(({ kind, actor }) => kind === 'gap' && actor === '');

it('nothing that is served below /inspector/ holds a secret or a signature', async () => {
  const whole = await listen(bob, 0);
  await until(() => whole.steps.length > 10, "bob's past");
  for (const node of [alice, bob]) {
    const actors = await get(node, 'actors?ended=1');
    const ids = [...actors.matchAll(/"actor":"([^"]+)"/g)].map(([, id = '']) => id);
    expect(ids.length).toBeGreaterThan(3);
    for (const id of ids.slice(0, 12)) {
      const path = `actors/${encodeURIComponent(id)}`;
      await get(node, `${path}/history`);
      if (id.startsWith('channel')) await get(node, `${path}/proofs?side=own`);
      if (id.startsWith('channel')) await get(node, path);
    }
    await get(node, 'node');
  }
  whole.leave();
  expect(signatures.size).toBeGreaterThan(3);
  const text = served.join('').toLowerCase();
  expect(text).toContain('"$redacted":"signature"');
  expect(text).toContain('"$redacted":"secret"');
  const canaries = [SECRET.slice(2), ...signatures].map((canary) => canary.toLowerCase());
  expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
});
