/** Calls that are many, large, odd, or left alone by their clients, made to running nodes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../conformance/devnet.ts';
import { prepare } from '../conformance/prepare.ts';
import { realGround } from '../conformance/real-ground.ts';
import { tokensOf } from '../conformance/states.ts';
import { type Api, channelIn, good } from '../support/api.ts';
import { openRaw, type Raw, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const MOST_WAITING = 10_000;
const MANY = 9_007_199_254_740_993n;
const JSON_TYPE = 'Content-Type: application/json\r\n';

let devnet: Devnet;
/** Takes one call after the other, and has a channel with bob. */
let carol: Api;
const filled = (text: string) => devnet.filled(text);

beforeAll(async () => {
  devnet = await startDevnet(realGround, { inTurn: ['carol'] });
  await prepare(devnet);
  const opening = { token_address: '{token}', partner_address: '{bob}' };
  await devnet.do('carol', 'PUT /channels', { ...opening, total_deposit: String(3n * MANY) });
  carol = await devnet.api('carol');
});
afterAll(() => devnet?.stop());

/** Collects garbage, so that only memory that is still in use counts as left behind. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

const toBob = () => filled('/payments/{token}/{bob}');
const channelWithBob = async () => channelIn(await carol.get(filled('/channels/{token}/{bob}')));

/** How many calls wait for their turn. */
async function waiting(): Promise<number> {
  const page = await (await fetch(`${carol.url}/metrics`)).text();
  return Number(/^pcn_api_queue_depth (\d+)$/m.exec(page)?.[1] ?? Number.NaN);
}

/** A payment that takes the turn until bob is heard again. */
async function takeTurn(identifier: string) {
  const { balance } = await channelWithBob();
  devnet.mute('bob');
  const payment = carol.post(toBob(), { amount: '1', identifier });
  const bob = await devnet.api('bob');
  const isPending = async () => JSON.stringify((await bob.get('/pending_transfers')).body);
  await until(async () => (await isPending()).includes(`"${identifier}"`), 'bob has the lock');
  return async () => {
    devnet.unmute('bob');
    good(await payment);
    expect((await channelWithBob()).balance).toBeLessThan(balance);
  };
}

describe('a client that goes away', () => {
  it('before its call is handled has the call dropped', async () => {
    const endTurn = await takeTurn('501');
    const leaving = await openRaw(carol.url);
    const [token_address, partner_address] = [filled('{token}'), filled('{someone300}')];
    const body = JSON.stringify({ token_address, partner_address, total_deposit: '9' });
    await leaving.write(rawRequest('PUT', '/channels', body));
    await until(async () => (await waiting()) === 1, 'the call waits');
    leaving.socket.destroy();
    await until(async () => (await waiting()) === 0, 'the call is given up');
    await endTurn();
    await devnet.whileMining(
      carol.patch(filled('/channels/{token}/{bob}'), { reveal_timeout: '40' }),
    );
    expect(await carol.get(filled('/channels/{token}/{someone300}'))).toMatchObject({
      status: 404,
    });
  });

  it('while its deposit is under way has deposited once', async () => {
    const owned = () => tokensOf(devnet, '{token}', '{carol}');
    const before = await owned();
    const leaving = await openRaw(carol.url);
    const path = filled('/channels/{token}/{alice}');
    await leaving.write(rawRequest('PATCH', path, '{"total_deposit":"640"}'));
    await until(async () => (await owned()) < before, 'the deposit is on its way');
    leaving.socket.destroy();
    const isDone = async () => channelIn(await carol.get(path)).total_deposit === 640n;
    await devnet.whileMining(until(isDone, 'the deposit is there'));
    expect(before - (await owned())).toBe(140n);
  });

  it('while its payment is under way has paid once', async () => {
    devnet.mute('bob');
    const leaving = await openRaw(carol.url);
    await leaving.write(rawRequest('POST', toBob(), '{"amount":"2","identifier":"502"}'));
    const bob = await devnet.api('bob');
    const isPending = async () => JSON.stringify((await bob.get('/pending_transfers')).body);
    await until(async () => (await isPending()).includes('"502"'), 'bob has the lock');
    leaving.socket.destroy();
    devnet.unmute('bob');
    const made = async () =>
      (await carol.history()).filter((each) => 'identifier' in each && each.identifier === 502n);
    await until(async () => (await made()).length > 0, 'the payment is made');
    expect(await made()).toHaveLength(1);
  });
});

describe('joining a token network twice at a time', () => {
  it.each(['bob', 'carol'] as const)('opens the channels of one join: %s', async (name) => {
    const api = await devnet.api(name);
    const count = async () => (await api.channels()).length;
    const before = await count();
    const path = filled('/connections/{token}');
    const join = () => api.put(path, { funds: String(5n * (3n * MANY + 1n)) });
    const answers = await devnet.whileMining(Promise.all([join(), join()]));
    const opened = answers.map((answer) => [good(answer)].flat().length);
    // Gasless and penniless are the only ones with whom there is no channel yet.
    expect(opened).toEqual(name === 'bob' ? [2, 2] : [2, 0]);
    expect((await count()) - before).toBe(2);
  });
});

describe('ten thousand calls that wait', () => {
  it('are answered in order, each with its own arguments, and one more is answered 503', async () => {
    const endTurn = await takeTurn('600');
    const many = await openRaw(carol.url);
    const partners = ['{alice}', '{bob}'].map(filled);
    const requests = Array.from({ length: MOST_WAITING }, (_, i) =>
      i % 100 === 0
        ? rawRequest('POST', toBob(), `{"amount":"1","identifier":${1_000 + i}}`)
        : rawRequest('GET', filled(`/channels/{token}/${partners[i % 2]}`)),
    );
    await many.write(requests.join(''));
    await until(async () => (await waiting()) === MOST_WAITING, 'all of them wait');
    const refused = await carol.get('/address');
    expect(refused).toMatchObject({ status: 503, body: { errors: expect.stringMatching(/\S/) } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await carol.get('/status')).body).toEqual({ status: 'ready' });
    devnet.unmute('bob');
    await until(() => many.answers.length === MOST_WAITING, 'all answers', 90_000);
    many.answers.forEach(({ status, body }, i) => {
      expect(status).toBe(200);
      const own =
        i % 100 === 0 ? { identifier: String(1_000 + i) } : { partner_address: partners[i % 2] };
      expect(JSON.parse(body)).toMatchObject(own);
    });
    await endTurn();
    const paid = (await carol.history()).flatMap((each) =>
      'identifier' in each && each.identifier >= 1_000n && each.identifier < 20_000n
        ? [Number(each.identifier)]
        : [],
    );
    expect(paid).toEqual(Array.from({ length: MOST_WAITING / 100 }, (_, i) => 1_000 + 100 * i));
    many.socket.destroy();
  }, 150_000);
});

describe('numbers beyond 2^53', () => {
  it.each([
    ['a string', `"${MANY}"`],
    ['a JSON integer', `${MANY}`],
  ])('are exact in a payment as %s', async (_, text) => {
    const { balance } = await channelWithBob();
    const identifier = MANY + 2n;
    const raw = `{"amount":${text},"identifier":${identifier}}`;
    const paid = good(await carol.ask({ method: 'POST', path: toBob(), raw }));
    expect(paid).toMatchObject({ amount: String(MANY), identifier: String(identifier) });
    expect((await channelWithBob()).balance).toBe(balance - MANY);
    const [last] = (await carol.history()).slice(-1);
    expect(last).toMatchObject({ amount: MANY, identifier });
    const events = good(await carol.get(filled('/events/channels/{token}/{bob}')));
    expect([events].flat().at(-1)).toMatchObject({ amount: String(MANY) });
  });

  it.each([
    ['a string', (n: bigint) => `"${n}"`, 0n],
    ['a JSON integer', (n: bigint) => `${n}`, 1n],
  ])('are exact in a deposit, a mint and a user deposit as %s', async (_, text, nth) => {
    const someone = `{someone${310n + nth}}`;
    const total = MANY + 2n + nth;
    const opening = `"token_address":"{token}","partner_address":"${someone}"`;
    const ask = (method: string, path: string, raw: string) =>
      devnet.whileMining(carol.ask({ method, path: filled(path), raw: filled(raw) }));
    const opened = await ask('PUT', '/channels', `{${opening},"total_deposit":${text(total)}}`);
    expect(channelIn(opened)).toMatchObject({ total_deposit: total, balance: total });
    const order = `{"to":"${someone}","value":${text(total)}}`;
    good(await ask('POST', '/_testing/tokens/{token}/mint', order));
    expect(await tokensOf(devnet, '{token}', someone)).toBe(total);
    const before = await tokensOf(devnet, '{serviceToken}', '{userDeposit}');
    good(await ask('POST', '/user_deposit', `{"total_deposit":${text(total * (1n + nth))}}`));
    const added = (await tokensOf(devnet, '{serviceToken}', '{userDeposit}')) - before;
    expect(added).toBe(nth === 0n ? total : 2n * total - (total - 1n));
  });
});

/** Sends a body in pieces until it is whole or nobody takes it any more. */
async function sendLarge(raw: Raw, head: string, megabytes: number, isChunked: boolean) {
  const piece = Buffer.alloc(65_536, 0x20);
  await raw.write(head);
  for (let sent = 0; sent < megabytes * 16 && !raw.isGone(); sent++) {
    if (isChunked) await raw.write('10000\r\n');
    if (!(await raw.write(piece))) return;
    if (isChunked) await raw.write('\r\n');
  }
}

describe('bodies of 10 MB', () => {
  it.each([
    ['of a declared length', `Content-Length: ${10 * 2 ** 20}\r\n`, false],
    ['in chunks', 'Transfer-Encoding: chunked\r\n', true],
  ])('%s are refused, and leave nothing behind', async (_, header, isChunked) => {
    const head = `POST /api/v1${toBob()} HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}${header}\r\n`;
    const memory = () => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    collect();
    const before = memory();
    let refused = 0;
    for (let i = 0; i < 10; i++) {
      const raw = await openRaw(carol.url);
      await sendLarge(raw, head, 10, isChunked);
      await until(() => raw.answers.length > 0 || raw.isGone(), 'an answer, or the end');
      // A client that goes on sending chunks may find the connection closed before it has read the answer.
      for (const { status } of raw.answers) expect(status).toBe(413);
      refused += raw.answers.length;
      raw.socket.destroy();
    }
    expect(refused).toBeGreaterThan(0);
    collect();
    expect(memory() - before).toBeLessThan(30 * 2 ** 20);
    expect((await carol.get('/status')).status).toBe(200);
  });
});

describe('odd bodies', () => {
  const ROUTE = '"route":["{carol}","{bob}"]';
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const named = (displayname: string) =>
    `{"amount":"1","paths":[{${ROUTE},"address_metadata":{"{bob}":{"displayname":${displayname}}}}]}`;

  it.each<[string, string, number, Record<string, unknown>]>([
    ['with a field twice count the last', '{"amount":"1","amount":"4"}', 200, { amount: '4' }],
    ['with a wrong field before it is right', '{"amount":"x","amount":4}', 200, { amount: '4' }],
    ['with a field __proto__', '{"amount":"1","__proto__":{"secret":"1"}}', 400, {}],
    ['with a field constructor', '{"amount":"1","constructor":{"prototype":{"a":1}}}', 400, {}],
    ['with a field hasOwnProperty', '{"amount":1,"hasOwnProperty":1}', 400, {}],
    ['with a field without a name', '{"amount":"1","":"2"}', 400, {}],
    ['with half a surrogate pair in a name', '{"amount":"1","\\ud800":"2"}', 400, {}],
    ['with half a surrogate pair in a number', '{"amount":"1\\udc00"}', 400, {}],
    ['with half a surrogate pair in a text', named('"\\ud83d"'), 200, { amount: '1' }],
    ['with a zero byte in a text', named('"\\u0000"'), 200, { amount: '1' }],
    ['with lists in lists', `{"amount":${deep(20_000)}}`, 400, {}],
    ['with lists in lists where paths belong', `{"amount":"1","paths":${deep(20_000)}}`, 400, {}],
    ['with lists in lists as text', `{"amount":"1","paths":"${deep(20_000)}"}`, 400, {}],
    ['with a byte order mark', '\ufeff{"amount":"6"}', 200, { amount: '6' }],
  ])('%s', async (_, text, status, shown) => {
    const raw = filled(text);
    const answer = await carol.ask({ method: 'POST', path: toBob(), raw });
    expect(answer).toMatchObject({
      status,
      body: status === 200 ? shown : { errors: expect.anything() },
    });
    const again = await fetch(`${carol.url}/api/v1${toBob()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // Sent in chunks, without a length.
      body: new Blob([raw]).stream(),
      duplex: 'half',
    });
    expect(again.status).toBe(status);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it('that are no UTF-8 are answered', async () => {
    const raw = await openRaw(carol.url);
    const body = Buffer.concat([
      Buffer.from('{"amount":"'),
      Buffer.of(0xed, 0xa0, 0x80, 0xff),
      Buffer.from('"}'),
    ]);
    const head = `POST /api/v1${toBob()} HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}`;
    await raw.write(
      Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]),
    );
    await until(() => raw.answers.length === 1, 'an answer');
    expect(raw.answers).toMatchObject([{ status: 400 }]);
    raw.socket.destroy();
  });

  it('are not in the answer to a HEAD, and the connection goes on', async () => {
    const raw = await openRaw(carol.url);
    const asked = ['HEAD', 'GET'].map((method) => rawRequest(method, '/address'));
    await raw.write(asked.join(''));
    await until(() => raw.text().includes('our_address'), 'the second answer');
    const [head = '', ...others] = raw.text().split('HTTP/1.1 ').slice(1);
    expect(head).toMatch(/^200 /);
    expect(head.toLowerCase()).toMatch(/content-type: application\/json/);
    expect(head).toMatch(/\r\n\r\n$/);
    expect(others).toHaveLength(1);
    raw.socket.destroy();
  });
});
