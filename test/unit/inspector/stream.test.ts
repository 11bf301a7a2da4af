import { afterEach, describe, expect, it } from 'vitest';
import type { InspectionRecord, StepRecords } from '../../../src/inspector/wire.ts';
import { until } from '../../support/until.ts';
import { connect, inspected, listen, plainRecords } from './connect.ts';

const CHANNEL = 'channel:0x1:1';
const PAYMENT = 'initiator:0x2';
const open: { end(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((inspector) => inspector.end()));
});

function watched(given: Parameters<typeof inspected>[0] = {}) {
  const whole = inspected(given);
  open.push(whole.inspector);
  return whole;
}

const kindsOf = (step: StepRecords | undefined) => step?.map(({ kind }) => kind);
const gapsIn = (steps: readonly StepRecords[]) =>
  steps.flat().filter((record): record is Gap => record.kind === 'gap');
type Gap = Extract<InspectionRecord, { kind: 'gap' }>;

/** Commits of one step each. */
function grow(journal: ReturnType<typeof watched>['journal'], count: number, actor = CHANNEL) {
  for (let commit = 0; commit < count; commit += 1) journal.commit(actor);
}

describe('the stream', () => {
  it('tells each step from now on, with its commit', async () => {
    const node = watched();
    grow(node.journal, 3);
    const client = await listen(node);
    node.journal.commit(PAYMENT, CHANNEL, PAYMENT);
    expect(await client.heard(3)).toEqual([4, 5, 6]);
    expect(client.steps.map(kindsOf)).toEqual([
      ['event', 'transition'],
      ['event', 'transition'],
      ['event', 'transition', 'commit'],
    ]);
    expect(client.steps[2]?.at(-1)).toMatchObject({ part: 2, commit: 4, first: 4, block: 6n });
    expect(client.text()).toMatch(/^retry: 3000\n\nid: 4\nevent: step\ndata: \[/);
    expect(client.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  });

  it.each([
    ['the header', { id: 3 }],
    ['the query', { query: '?last_event_id=3' }],
    ['the header before the query', { id: 3, query: '?last_event_id=1' }],
  ])('goes on after the step named by %s', async (_, options) => {
    const node = watched();
    grow(node.journal, 5);
    expect(await (await listen(node, options)).heard(2)).toEqual([4, 5]);
  });

  it('tells a long past whole and in order, and then what is new', async () => {
    const node = watched();
    grow(node.journal, 3_000);
    const client = await listen(node, { id: 0 });
    await client.heard(10);
    grow(node.journal, 50);
    expect(await client.heard(3_050)).toEqual(
      Array.from({ length: 3_050 }, (_, index) => index + 1),
    );
    expect(gapsIn(client.steps)).toEqual([]);
  });

  it('says where a commit began to a reader who comes back to its middle', async () => {
    const node = watched();
    node.journal.commit(CHANNEL);
    node.journal.commit(...Array.from({ length: 600 }, () => CHANNEL));
    const client = await listen(node, { id: 598 });
    await client.heard(3);
    expect(client.steps.at(-1)?.at(-1)).toMatchObject({ kind: 'commit', commit: 2, first: 2 });
  });

  it.each([
    ['just with', 256],
    ['in the middle of', 260],
    ['after several of', 1_000],
  ])('tells the end of a commit that ends %s what is read at once', async (_, size) => {
    const node = watched();
    node.journal.commit(PAYMENT, ...Array.from({ length: size - 1 }, () => CHANNEL));
    node.journal.commit(CHANNEL);
    const all = await listen(node, { id: 0 });
    const one = await listen(node, { id: 0, query: `?actor=${PAYMENT}` });
    await all.heard(size + 1);
    await one.heard(1);
    const commits = all.steps.flat().filter(({ kind }) => kind === 'commit');
    expect(commits.map(({ seq }) => seq)).toEqual([size, size + 1]);
    expect(commits.map((commit) => 'first' in commit && commit.first)).toEqual([1, size + 1]);
    expect(one.steps.map(kindsOf)).toEqual([['event', 'transition', 'commit']]);
  });

  it('tells of one actor, and when its part of a commit is on disk', async () => {
    const node = watched();
    const client = await listen(node, { query: `?actor=${CHANNEL}` });
    node.journal.commit(CHANNEL, CHANNEL, PAYMENT);
    node.journal.commit(PAYMENT);
    node.journal.commit(CHANNEL);
    expect(await client.heard(3)).toEqual([1, 2, 5]);
    expect(client.steps.map(kindsOf)).toEqual([
      ['event', 'transition'],
      ['event', 'transition', 'commit'],
      ['event', 'transition', 'commit'],
    ]);
  });

  it('tells of the actors of one machine', async () => {
    const node = watched();
    const client = await listen(node, { query: '?machine=initiator' });
    node.journal.commit(CHANNEL, PAYMENT);
    node.journal.commit(CHANNEL);
    node.journal.commit(PAYMENT);
    expect(await client.heard(2)).toEqual([2, 4]);
  });

  it('tells the records that are asked for, and no step without one', async () => {
    const node = watched();
    const client = await listen(node, { query: '?kinds=commit,guard' });
    node.journal.commit(CHANNEL, PAYMENT);
    node.journal.commit(CHANNEL);
    expect(await client.heard(2)).toEqual([2, 3]);
    expect(client.steps.map(kindsOf)).toEqual([['commit'], ['commit']]);
  });

  it('tells a reader of one quiet actor how far the journal has come', async () => {
    const node = watched();
    const client = await listen(node, { query: `?actor=${PAYMENT}` });
    grow(node.journal, 1_200);
    // The last of them may be too few to be told of, depending on where a slice of work ended.
    await until(() => (client.last() ?? 0) > 1_200 - 500, 'the number');
    expect(client.steps).toEqual([]);
  });

  it('serves those who come later beside those who are there', async () => {
    const node = watched();
    const first = await listen(node, { query: `?actor=${PAYMENT}` });
    node.journal.commit(CHANNEL, PAYMENT);
    await first.heard(1);
    const second = await listen(node);
    const third = await listen(node, { id: 0 });
    node.journal.commit(CHANNEL, PAYMENT);
    expect(await second.heard(2)).toEqual([3, 4]);
    expect(await third.heard(4)).toEqual([1, 2, 3, 4]);
    expect(await first.heard(2)).toEqual([2, 4]);
  });

  it('gives a sign of life when nothing happens', async () => {
    const client = await listen(watched({ heartbeatMs: 5 }));
    await until(() => client.text().includes(':\n\n:\n\n'), 'two signs');
  });
});

describe('a reader who asks for what is not there', () => {
  it('is told what the journal no longer holds', async () => {
    const node = watched({ kept: 3 });
    grow(node.journal, 10);
    const client = await listen(node, { id: 2 });
    expect(await client.heard(4)).toEqual([7, 8, 9, 10]);
    expect(gapsIn(client.steps)).toMatchObject([{ first: 3, seq: 7, reason: 'old', actor: '' }]);
  });

  it('is told that the step is of another database', async () => {
    for (const id of [6, 1e22]) {
      const node = watched();
      grow(node.journal, 5);
      const client = await listen(node, { query: `?last_event_id=${BigInt(id)}` });
      await client.heard(1);
      expect(gapsIn(client.steps)).toMatchObject([{ first: 1, seq: 5, reason: 'old' }]);
      grow(node.journal, 1);
      expect(await client.heard(2)).toEqual([5, 6]);
    }
  });

  it('is told of a step that cannot be replayed, and goes on', async () => {
    const records = (step: Parameters<typeof plainRecords>[0]) => {
      if (step.seq === 2) throw new Error('a fault');
      return plainRecords(step);
    };
    const node = watched({ tools: { createReplayer: () => ({ records }) } });
    const client = await listen(node);
    grow(node.journal, 3);
    expect(await client.heard(3)).toEqual([1, 2, 3]);
    expect(gapsIn(client.steps)).toMatchObject([{ first: 2, seq: 2, reason: 'other' }]);
  });

  it.each<[string, string]>([
    ['?last_event_id=-1', 'last_event_id'],
    ['?last_event_id=x', 'last_event_id'],
    ['?machine=lathe', 'machine'],
    ['?kinds=event,secret', 'kinds'],
    ['?kinds=', 'kinds'],
  ])('is refused %s', async (query, field) => {
    const { response } = await connect(watched(), { query });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ errors: { [field]: [expect.any(String)] } });
  });

  it('gets the headers alone for HEAD', async () => {
    const { inspector, journal } = watched();
    const request = new Request('http://node/inspector/events', { method: 'HEAD' });
    const response = await inspector.handle(request);
    expect([response.status, response.body]).toEqual([200, null]);
    expect(journal.listeners()).toBe(0);
  });
});

describe('a reader who does not keep up', () => {
  it('gets a gap instead of the hour that it has missed', async () => {
    const node = watched();
    const client = await connect(node);
    await client.next();
    grow(node.journal, 20);
    // Perhaps in several pieces, depending on where slices of work end.
    let read = '';
    while (!read.includes('id: 20\n')) read += await client.next();
    grow(node.journal, 5_000);
    const text = await client.next();
    expect(text).toContain('"kind":"gap"');
    expect(text).toContain('"first":21,"reason":"slow"');
    expect(text).toContain('"seq":5020');
    await client.leave();
  });

  it('misses nothing within bounds, and does not hold up the others', async () => {
    const node = watched();
    const slow = await connect(node);
    await slow.next();
    const quick = await listen(node);
    for (let count = 500; count <= 5_000; count += 500) {
      grow(node.journal, 500);
      await quick.heard(count);
    }
    expect(gapsIn(quick.steps)).toEqual([]);
    const text = (await slow.next()) ?? '';
    expect(text).toContain('"first":1,"reason":"slow"');
    expect(text.length).toBeLessThan(100_000);
    await slow.leave();
  });

  it('costs nothing while it does not read', async () => {
    let told = 0;
    const records = (step: Parameters<typeof plainRecords>[0]) => {
      told += 1;
      return plainRecords(step);
    };
    const node = watched({ tools: { createReplayer: () => ({ records }) } });
    const stalled = await connect(node);
    const gone = await listen(node);
    await gone.leave();
    await stalled.next();
    grow(node.journal, 1_000);
    expect(told).toBe(0);
    await stalled.leave();
    expect(node.journal.listeners()).toBe(0);
  });
});

describe('streams', () => {
  it('are 32 at most, and a place is free when one has gone', async () => {
    const node = watched();
    const clients = await Promise.all(Array.from({ length: 32 }, () => connect(node)));
    const { response } = await connect(node);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ errors: expect.stringContaining('close one') });
    await clients[0]?.leave();
    const again = await connect(node);
    expect(again.response.status).toBe(200);
    await Promise.all([...clients, again].map(({ leave }) => leave()));
    expect(node.journal.listeners()).toBe(0);
  });

  it('leave a part of their places to each other caller', async () => {
    const node = watched();
    const opened = (caller: object, count: number) =>
      Promise.all(Array.from({ length: count }, () => connect(node, { caller })));
    const [greedy, other] = [{}, {}];
    const clients = [...(await opened(greedy, 32)), ...(await opened(other, 17))];
    const refused = clients.flatMap(({ response }, at) => (response.status === 503 ? [at] : []));
    expect(refused).toEqual([48]);
    await Promise.all(clients.slice(0, 48).map(({ leave }) => leave()));
    expect(node.journal.listeners()).toBe(0);
  });

  it('end when the node ends', async () => {
    const node = watched();
    const ending = new AbortController();
    const [one, other] = [await listen(node, { ending: ending.signal }), await listen(node)];
    ending.abort();
    await until(() => one.isEnded(), 'the end of the one');
    await node.inspector.end();
    await until(() => other.isEnded(), 'the end of the other');
    expect(await (await connect(node, { ending: ending.signal })).next()).toMatch(/^retry/);
  });
});
