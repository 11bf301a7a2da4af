/** The client's event stream over real connections, which are lost. */
import { afterEach, expect, expectTypeOf, it } from 'vitest';
import { type Event, watchEvents } from '../../src/client/client.ts';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { until } from '../support/until.ts';
import { depositEvent, fakeFeed, notificationEvent } from '../unit/http/fake-feed.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

const TOKEN = 'reader-0123456789';
const running: NodeServer[] = [];
const watching: AbortController[] = [];
afterEach(async () => {
  for (const watcher of watching.splice(0)) watcher.abort();
  await Promise.all(running.splice(0).map((server) => server.end()));
});

async function serveFeed(feed: ReturnType<typeof fakeFeed>, port = 0): Promise<NodeServer> {
  const tokens = [{ token: TOKEN, scope: 'read', cap: null, budget: null }] as const;
  const served = await serveNode({
    node: fakeNode({ feed }),
    config: { host: '127.0.0.1', port, concurrency: 1, tokens },
    onInternalError: () => {},
  });
  if (!served.ok) throw new Error(served.message);
  running.push(served.value);
  return served.value;
}

/** What a program has seen so far. */
function watch({ url }: NodeServer, after?: string) {
  const watcher = new AbortController();
  watching.push(watcher);
  const seen: Event[] = [];
  const options = {
    token: TOKEN,
    signal: watcher.signal,
    ...(after === undefined ? {} : { after }),
  };
  const ended = (async () => {
    for await (const event of watchEvents(url, options)) seen.push(event);
  })();
  return { seen, end: () => watcher.abort(), ended };
}
const numbers = (seen: readonly Event[]) =>
  seen.map((event) => (event.type === 'gap' ? `${event.from} to ${event.to}` : event.seq));

it('the client yields every event once, in order, over a connection that is lost before the first', async () => {
  const feed = fakeFeed({ newest: 3 });
  const server = await serveFeed(feed);
  const { seen, end, ended } = watch(server);
  await until(() => feed.listeners() === 1, 'the stream is open');
  await server.end();
  feed.grow(5);
  await serveFeed(feed, server.port);
  await until(() => seen.length === 2, 'what happened in between');
  feed.grow(6);
  await until(() => seen.length === 3, 'what happens then');
  expect(numbers(seen)).toEqual(['4', '5', '6']);
  end();
  await ended;
});

it('the client goes on after a given event, and yields a gap for events that are no longer kept', async () => {
  const feed = fakeFeed({ newest: 9, kept: 2 });
  const { seen } = watch(await serveFeed(feed), '4');
  await until(() => seen.length === 3, 'the gap and two events');
  expect(numbers(seen)).toEqual(['5 to 7', '8', '9']);
});

it('the client yields events of each kind with the type of the kind', async () => {
  const feed = fakeFeed();
  const { seen } = watch(await serveFeed(feed));
  await until(() => feed.listeners() === 1, 'the stream is open');
  feed.add(depositEvent(1));
  feed.add(notificationEvent(2));
  await until(() => seen.length === 2, 'both');
  const [deposit, notification] = seen;
  if (deposit?.type !== 'channel' || notification?.type !== 'notification')
    throw new Error('they are of other kinds');
  expectTypeOf(notification.notification.urgency).toEqualTypeOf<'normal' | 'high'>();
  expect(deposit.channel_event).toMatchObject({ event: 'ChannelNewDeposit', total_deposit: '9' });
  expect(notification.notification.body).toBe('add\nmore');
});

it('the client throws when the node refuses', async () => {
  const { url } = await serveFeed(fakeFeed());
  const refused = watchEvents(url, { token: 'another-0123456789' }).next();
  await expect(refused).rejects.toThrow('the node refuses its events (401)');
});
