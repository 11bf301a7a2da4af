import { afterEach, describe, expect, it } from 'vitest';
import { type ApiOptions, createApp } from '../../../src/http/app.ts';
import { createKeyring } from '../../../src/http/checks/tokens.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { until } from '../../support/until.ts';
import { call } from './client.ts';
import { depositEvent, eventsIn, fakeFeed, notificationEvent } from './fake-feed.ts';
import { fakeNode, PARTNER, TOKEN } from './fake-node.ts';

const READER = { scope: 'read', cap: null, budget: null } as const;
const PATH = '/api/v1/events/stream';
const open: { leave: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ leave }) => leave()));
});

type App = Pick<ReturnType<typeof createApp>, 'request'>;
type Connect = { id?: string; query?: string; token?: string };

/** A client that reads whatever comes until it leaves. */
async function listen(app: App, { id, query = '', token }: Connect = {}) {
  const headers: Record<string, string> = {
    ...(id === undefined ? {} : { 'last-event-id': id }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await app.request(`${PATH}${query}`, { headers });
  const reader = response.body?.getReader();
  let text = '';
  let isEnded = false;
  async function read(): Promise<void> {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += new TextDecoder().decode(part.value);
    }
    isEnded = true;
  }
  const reading = read();
  const leave = async () => {
    await reader?.cancel();
    await reading;
  };
  open.push({ leave });
  return {
    response,
    leave,
    text: () => text,
    isEnded: () => isEnded,
    events: () => eventsIn(text),
    async heard(count: number) {
      await until(() => eventsIn(text).length >= count, `${count} events`);
      return eventsIn(text);
    },
  };
}

function appOn(feed: NodeApi['feed'], changes: Partial<NodeApi> = {}, options: ApiOptions = {}) {
  return createApp({ node: fakeNode({ feed, ...changes }), options });
}

describe('the stream of events', () => {
  it('ends with the token of its reader, and goes on for others', async () => {
    const feed = fakeFeed();
    const tokens = ['one-token-of-many', 'another-of-them-1'].map((token) => ({
      token,
      ...READER,
    }));
    const keyring = createKeyring(tokens);
    const app = appOn(feed, {}, { identify: keyring.identify });
    const [reader, other] = [
      await listen(app, { token: 'one-token-of-many' }),
      await listen(app, { token: 'another-of-them-1' }),
    ];
    feed.grow(1);
    await Promise.all([reader.heard(1), other.heard(1)]);
    keyring.renew(tokens.slice(1));
    feed.grow(2);
    await other.heard(2);
    await until(reader.isEnded, 'its stream is over');
    expect(reader.events()).toHaveLength(1);
    expect(other.isEnded()).toBe(false);
  });

  it('tells each kind with its number, its name and the fields of the API', async () => {
    const feed = fakeFeed();
    const client = await listen(appOn(feed));
    feed.grow(1);
    feed.add(depositEvent(2));
    feed.add(notificationEvent(3));
    const [payment, channel, notification] = await client.heard(3);
    expect(client.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(client.text()).toMatch(/^retry: 3000\nid: 0\n\n/);
    expect(payment).toMatchObject({
      id: '1',
      event: 'payment',
      data: {
        type: 'payment',
        seq: '1',
        payment: { event: 'EventPaymentSentSuccess', identifier: '9007199254740993' },
      },
    });
    expect(channel).toMatchObject({
      id: '2',
      event: 'channel',
      data: {
        token_address: TOKEN,
        partner_address: PARTNER,
        channel_event: { event: 'ChannelNewDeposit', total_deposit: '9' },
      },
    });
    expect(notification).toMatchObject({
      event: 'notification',
      data: { notification: { body: 'add\nmore' } },
    });
  });

  it('begins with the events after the connection when the client names none', async () => {
    const feed = fakeFeed({ newest: 5 });
    const client = await listen(appOn(feed));
    await until(() => feed.listeners() === 1);
    feed.grow(6);
    expect((await client.heard(1)).map(({ id }) => id)).toEqual(['6']);
  });

  it.each<[string, Connect]>([
    ['the header', { id: '3' }],
    ['the query', { query: '?last_event_id=3' }],
    ['the header before the query', { id: '3', query: '?last_event_id=1' }],
  ])('goes on after the event named by %s', async (_, connect) => {
    const client = await listen(appOn(fakeFeed({ newest: 5 })), connect);
    expect((await client.heard(2)).map(({ id }) => id)).toEqual(['4', '5']);
  });

  it('gives a long past in order and whole', async () => {
    const client = await listen(appOn(fakeFeed({ newest: 350 })), { id: '0' });
    const ids = (await client.heard(350)).map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 350 }, (_, index) => index + 1));
  });

  it('announces what is not kept any more, and goes on after it', async () => {
    const client = await listen(appOn(fakeFeed({ newest: 10, kept: 3 })), { id: '2' });
    const [gap, ...rest] = await client.heard(4);
    expect(gap).toEqual({ id: '7', event: 'gap', data: { type: 'gap', from: '3', to: '7' } });
    expect(rest.map(({ id }) => id)).toEqual(['8', '9', '10']);
  });

  it('announces what a slow reader has missed', async () => {
    const feed = fakeFeed({ newest: 1, kept: 3 });
    const app = appOn(feed);
    const response = await app.request(PATH, { headers: { 'last-event-id': '0' } });
    const reader = response.body?.getReader();
    const next = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(eventsIn(await next()).map(({ id }) => id)).toEqual(['1']);
    feed.grow(500);
    const [gap, ...rest] = eventsIn(await next());
    expect(gap?.data).toEqual({ type: 'gap', from: '2', to: '497' });
    expect(rest).toHaveLength(3);
    await reader?.cancel();
  });

  it('says so when the named event is none of this database', async () => {
    for (const id of ['6', '99999999999999999999999']) {
      const feed = fakeFeed({ newest: 5 });
      const client = await listen(appOn(feed), { id });
      const [gap] = await client.heard(1);
      expect(gap).toEqual({
        id: '5',
        event: 'gap',
        data: { type: 'gap', from: '1', to: '5' },
      });
      feed.grow(6);
      expect((await client.heard(2))[1]?.id).toBe('6');
    }
  });

  it.each(['-1', 'x', '1.5', '0x1'])('refuses a name that is no event: %s', async (id) => {
    const answer = await call(appOn(fakeFeed()), {
      path: '/events/stream',
      headers: { 'last-event-id': id },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: { last_event_id: [expect.any(String)] } },
    });
  });

  it('asks for nothing while nobody reads', async () => {
    const feed = fakeFeed({ newest: 1_000 });
    const app = appOn(feed);
    const response = await app.request(PATH, { headers: { 'last-event-id': '0' } });
    feed.grow(1_001);
    expect([feed.reads(), feed.listeners()]).toEqual([0, 0]);
    await response.body?.cancel();
  });

  it('forgets a client that leaves', async () => {
    const feed = fakeFeed();
    const client = await listen(appOn(feed));
    await until(() => feed.listeners() === 1);
    await client.leave();
    expect(feed.listeners()).toBe(0);
  });

  it('does not wait behind calls, and holds none up', async () => {
    const feed = fakeFeed();
    const app = appOn(feed, { registerToken: () => new Promise(() => {}) });
    void call(app, { method: 'PUT', path: `/tokens/${TOKEN}` });
    const client = await listen(app);
    feed.grow(1);
    expect(await client.heard(1)).toHaveLength(1);
    expect((await call(appOn(feed), { path: '/tokens' })).status).toBe(200);
  });

  it('is there while the node is still syncing', async () => {
    const app = appOn(fakeFeed({ newest: 2 }), {
      status: () => ({ status: 'syncing', blocksToSync: 9n }),
    });
    expect(await (await listen(app, { id: '1' })).heard(1)).toHaveLength(1);
  });

  it('takes 32 clients; the next is sent away until one has left', async () => {
    const app = appOn(fakeFeed());
    const clients = await Promise.all(Array.from({ length: 32 }, () => listen(app)));
    const refused = await call(app, { path: '/events/stream' });
    expect(refused).toMatchObject({ status: 503, body: { errors: expect.any(String) } });
    expect(refused.headers.get('retry-after')).toBe('5');
    await clients[7]?.leave();
    expect((await listen(app)).response.status).toBe(200);
  });

  it('has a part of the 32 places for each of several callers', async () => {
    const tokens = ['a', 'b'].map((letter) => ({ token: letter.repeat(16), ...READER }));
    const app = appOn(fakeFeed(), {}, { tokens });
    const listening = (token: string) => listen(app, { token });
    const statuses = async (letter: string, many: number) =>
      (await Promise.all(Array.from({ length: many }, () => listening(letter.repeat(16))))).map(
        ({ response }) => response.status,
      );
    expect(await statuses('a', 33)).toEqual([...Array(32).fill(200), 503]);
    expect(await statuses('b', 17)).toEqual([...Array(16).fill(200), 503]);
  });

  it('gives HEAD no stream', async () => {
    const app = appOn(fakeFeed());
    for (let i = 0; i < 40; i++) {
      const answer = await call(app, { method: 'HEAD', path: '/events/stream' });
      expect(answer.status).toBe(200);
    }
  });

  it('ends when the node shuts down', async () => {
    const app = appOn(fakeFeed());
    const client = await listen(app);
    await call(app, { method: 'POST', path: '/shutdown' });
    await until(() => client.isEnded(), 'the stream to end');
    expect((await call(app, { path: '/events/stream' })).status).toBe(503);
  });

  it('ends when the node fails', async () => {
    let isBroken = false;
    const app = appOn(fakeFeed(), { isBroken: () => isBroken });
    const client = await listen(app);
    isBroken = true;
    expect((await call(app, { path: '/tokens' })).status).toBe(500);
    await until(() => client.isEnded(), 'the stream to end');
  });

  it('that cannot be read from the database is an internal failure', async () => {
    const reported: unknown[] = [];
    const feed = fakeFeed({ newest: 1 });
    const after = () => {
      throw new Error('disk I/O error');
    };
    const onInternalError = (error: unknown) => reported.push(error);
    const app = appOn({ ...feed, after }, {}, { onInternalError });
    const client = await listen(app);
    await until(() => client.isEnded(), 'the stream to end');
    expect(reported).toHaveLength(1);
    expect((await call(app, { path: '/tokens' })).status).toBe(503);
  });
});

it('sends a comment now and then, so that nobody cuts a quiet stream', async () => {
  const app = appOn(fakeFeed(), {}, { heartbeatMs: 5 });
  const client = await listen(app);
  await until(() => client.text().includes(':\n\n:\n\n'), 'two comments');
  expect(client.events()).toEqual([]);
});
