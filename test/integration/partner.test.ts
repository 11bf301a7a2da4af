import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { createBus } from '../../src/partner/bus.ts';
import {
  answerTo,
  drawQuestion,
  type Fence,
  fenceOf,
  isQuestion,
  provesKey,
} from '../../src/partner/key-proof.ts';
import { connectNats, type NatsOptions, subjectOf } from '../../src/partner/nats.ts';
import { encodePresence } from '../../src/partner/presence-answer.ts';
import { MAX_PAYLOAD_BYTES, type Transport } from '../../src/partner/transport.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { type NatsServer, startNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

function addressFrom(byte: string): Address {
  const address = parseAddress(`0x${byte.repeat(20)}`);
  if (address === null) throw new Error('not a byte of hex');
  return address;
}

const keyOf = (byte: number) => createSigner(new Uint8Array(32).fill(byte));
const { address: alice, publicKey: alicesKey } = keyOf(1);
const { address: bob, publicKey: bobsKey } = keyOf(2);
const { address: nobody } = keyOf(3);
const signers = [1, 2, 3].map(keyOf);
const network = { chainId: 31337n, tokenNetworkRegistry: addressFrom('ee') };
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (payload: Uint8Array) => new TextDecoder().decode(payload);

let server: NatsServer;
const left: (() => Promise<void>)[] = [];

/** A transport that is closed after the test. */
function closing(transport: Transport): Transport {
  left.push(transport.close);
  return transport;
}

function viaNats(address: Address, options: Partial<NatsOptions> = {}): Transport {
  const presenceTimeoutMs = 500;
  const sign = signers.find((signer) => signer.address === address)?.sign ?? null;
  return closing(
    connectNats({
      ...network,
      url: server.url,
      address,
      presenceTimeoutMs,
      sign,
      recover,
      ...options,
    }),
  );
}

/** Collects what arrives, as texts, and answers with the key of whoever it is. */
function inbox(transport: Transport, publicKey: Uint8Array): string[] {
  const received: string[] = [];
  transport.onMessage((payload) => received.push(text(payload)), publicKey);
  return received;
}

const stateOf = async (asker: Transport, address: Address) => (await asker.presence(address)).state;
const connected = (...transports: Transport[]) =>
  until(() => transports.every((transport) => transport.isConnected()), 'the connections');
const listens = (asker: Transport, address: Address) =>
  until(async () => (await stateOf(asker, address)) === 'reachable', `${address} to listen`);

beforeAll(async () => {
  server = await startNats();
});

afterEach(async () => {
  await Promise.all(left.splice(0).map((close) => close()));
});

afterAll(() => server.stop());

describe.each([
  { name: 'NATS', network: () => (address: Address) => viaNats(address) },
  {
    name: 'the bus',
    network: () => {
      const bus = createBus();
      return (address: Address) => closing(bus.connect(address));
    },
  },
])('a transport over $name', ({ network }) => {
  it('brings 10,000 payloads in each direction, in order', async () => {
    const join = network();
    const [a, b] = [join(alice), join(bob)];
    const [atAlice, atBob] = [inbox(a, alicesKey), inbox(b, bobsKey)];
    await connected(a, b);
    await Promise.all([listens(a, bob), listens(b, alice)]);
    const sent = Array.from({ length: 10_000 }, (_, index) => `payload ${index}\n`);
    for (const payload of sent) {
      a.publish(bob, bytes(payload));
      b.publish(alice, bytes(payload));
    }
    await until(() => atAlice.length + atBob.length >= 20_000, 'all payloads');
    expect(atAlice).toEqual(sent);
    expect(atBob).toEqual(sent);
  });

  it('brings a payload of the largest size and no larger one', async () => {
    const join = network();
    const [a, b] = [join(alice), join(bob)];
    const sizes: number[] = [];
    b.onMessage((payload) => sizes.push(payload.length), bobsKey);
    await connected(a, b);
    await listens(a, bob);
    a.publish(bob, new Uint8Array(MAX_PAYLOAD_BYTES + 1));
    a.publish(bob, new Uint8Array(MAX_PAYLOAD_BYTES));
    a.publish(bob, new Uint8Array(0));
    await until(() => sizes.includes(0), 'the last payload');
    expect(sizes).toEqual([MAX_PAYLOAD_BYTES, 0]);
  });

  it('says under which addresses somebody listens', async () => {
    const join = network();
    const [a, b] = [join(alice), join(bob)];
    await connected(a, b);
    expect(await stateOf(a, bob)).toBe('unreachable');
    inbox(b, bobsKey);
    await listens(a, bob);
    expect(await stateOf(a, nobody)).toBe('unreachable');
    await b.close();
    await until(async () => (await stateOf(a, bob)) === 'unreachable', 'bob to be gone');
  });

  it('drops payloads for an address under which nobody listens, and goes on', async () => {
    const join = network();
    const [a, b] = [join(alice), join(bob)];
    const atBob = inbox(b, bobsKey);
    await connected(a, b);
    await listens(a, bob);
    a.publish(nobody, bytes('lost'));
    a.publish(bob, bytes('found'));
    await until(() => atBob.length > 0, 'the payload');
    expect(atBob).toEqual(['found']);
  });

  it('finds another process that listens under its own address', async () => {
    const join = network();
    const [first, second] = [join(alice), join(alice)];
    await connected(first, second);
    expect(await first.findRival()).toBe('none');
    inbox(first, alicesKey);
    await listens(second, alice);
    expect(await second.findRival()).toBe('free');
    expect(await first.findRival()).toBe('none');
    inbox(second, alicesKey);
    await until(
      async () => (await first.findRival()) === 'free',
      'the rival to be seen by the first',
    );
  });

  it('is silent after it was closed, and says that it is not connected', async () => {
    const join = network();
    const [a, b] = [join(alice), join(bob)];
    const atBob = inbox(b, bobsKey);
    const statuses: string[] = [];
    b.onStatus((status) => statuses.push(status));
    await connected(a, b);
    await listens(a, bob);
    await b.close();
    expect(b.isConnected()).toBe(false);
    expect(statuses.at(-1)).toBe('disconnected');
    a.publish(bob, bytes('late'));
    b.publish(alice, bytes('later'));
    expect(await stateOf(b, alice)).toBe('unknown');
    expect(await stateOf(a, bob)).toBe('unreachable');
    expect(atBob).toEqual([]);
    await b.close();
  });

  it('sends what was published just before it was closed', async () => {
    const join = network();
    const [a, b] = [join(alice), join(bob)];
    const atBob = inbox(b, bobsKey);
    await connected(a, b);
    await listens(a, bob);
    for (let index = 0; index < 100; index++) a.publish(bob, bytes(`${index}`));
    await a.close();
    await until(() => atBob.length === 100, 'all payloads');
  });

  it('has one message handler', () => {
    const transport = network()(alice);
    inbox(transport, alicesKey);
    expect(() => inbox(transport, alicesKey)).toThrow('one message handler');
  });
});

describe('a transport over NATS', () => {
  it('uses subjects in lower case that tell networks apart', async () => {
    expect(subjectOf(network, alice)).toBe(
      `sluice.31337.0x${'ee'.repeat(20)}.${alice.toLowerCase()}`,
    );
    const [a, b] = [viaNats(alice), viaNats(bob, { chainId: 1n })];
    inbox(b, bobsKey);
    await connected(a, b);
    await listens(b, bob);
    expect(await stateOf(a, bob)).toBe('unreachable');
  });

  it('broadcasts to whoever listens to the topic, whether it began before or after connecting', async () => {
    const [a, b, c] = [viaNats(alice), viaNats(bob), viaNats(nobody)];
    const got: string[] = [];
    b.onBroadcast('pathfinding', (payload) => got.push(`bob ${text(payload)}`));
    await connected(a, b, c);
    c.onBroadcast('monitoring', (payload) => got.push(`carol ${text(payload)}`));
    const sendBoth = () => {
      a.broadcast('pathfinding', bytes('capacity'));
      a.broadcast('monitoring', bytes('proof'));
    };
    await until(() => {
      sendBoth();
      return new Set(got).size === 2;
    }, 'both to be heard');
    expect([...new Set(got)].sort()).toEqual(['bob capacity', 'carol proof']);
  });

  it('goes on after the server was started anew', async () => {
    const restarted = await startNats();
    const { url, port } = restarted;
    const [a, b] = [viaNats(alice, { url }), viaNats(bob, { url })];
    const atBob = inbox(b, bobsKey);
    const statuses: string[] = [];
    b.onStatus((status) => statuses.push(status));
    await connected(a, b);
    await listens(a, bob);
    a.publish(bob, bytes('before'));
    await until(() => atBob.length === 1, 'the first payload');

    await restarted.stop();
    await until(() => !a.isConnected() && !b.isConnected(), 'the loss to be noticed');
    for (let index = 0; index < 1_000; index++) a.publish(bob, bytes('while it is down'));
    expect(await stateOf(a, bob)).toBe('unknown');

    const again = await startNats({ port });
    left.push(again.stop);
    await connected(a, b);
    await listens(a, bob);
    a.publish(bob, bytes('after'));
    await until(() => atBob.includes('after'), 'the payload after the restart');
    expect(atBob).toEqual(['before', 'after']);
    expect(statuses).toEqual(['connected', 'disconnected', 'connected']);
  });

  it('waits for a server that is not there yet, and says so once', async () => {
    const gone = await startNats();
    await gone.stop();
    const problems: string[] = [];
    const report = (problem: string) => problems.push(problem);
    const a = viaNats(alice, { url: gone.url, report });
    const atAlice = inbox(a, alicesKey);
    await until(() => problems.length > 0, 'the report');
    a.publish(alice, bytes('too early'));
    expect(a.isConnected()).toBe(false);
    expect(await a.findRival()).toBe('none');
    expect(problems).toHaveLength(1);

    const late = await startNats({ port: gone.port });
    left.push(late.stop);
    await connected(a);
    await listens(a, alice);
    a.publish(alice, bytes('now'));
    await until(() => atAlice.length > 0, 'the payload');
    expect(atAlice).toEqual(['now']);
  });

  it('can be closed while there is no server', async () => {
    const gone = await startNats();
    await gone.stop();
    const a = viaNats(alice, { url: gone.url });
    await a.close();
    expect(a.isConnected()).toBe(false);
  });

  it('can be closed at any moment of its start', async () => {
    for (let turns = 0; turns < 60; turns++) {
      const a = viaNats(alice);
      inbox(a, alicesKey);
      for (let turn = 0; turn < turns; turn++)
        await new Promise((resolve) => setImmediate(resolve));
      await a.close();
      expect(a.isConnected()).toBe(false);
    }
  });

  it('does not know who listens while the server does not answer, and piles up no payloads', async () => {
    const stalled = await startNats();
    left.push(stalled.stop);
    const problems: string[] = [];
    const report = (problem: string) => problems.push(problem);
    const [a, b] = [
      viaNats(alice, { url: stalled.url, report }),
      viaNats(bob, { url: stalled.url }),
    ];
    let arrived = 0;
    b.onMessage(() => arrived++, bobsKey);
    await connected(a, b);
    await listens(a, bob);
    process.kill(stalled.pid, 'SIGSTOP');
    const large = new Uint8Array(MAX_PAYLOAD_BYTES);
    for (let index = 0; index < 64; index++) a.publish(bob, large);
    expect(problems).toEqual(['the message broker does not keep up']);
    expect(await stateOf(a, bob)).toBe('unknown');
    process.kill(stalled.pid, 'SIGCONT');
    await until(() => {
      a.publish(bob, bytes('small'));
      return arrived > 32;
    }, 'payloads to flow again');
    expect(arrived).toBeLessThan(64);
  });

  it('does not send its answer to a presence request to the subject of another node', async () => {
    const [a, b] = [viaNats(alice), viaNats(bob)];
    const atBob = inbox(b, bobsKey);
    inbox(a, alicesKey);
    await connected(a, b);
    await Promise.all([listens(a, bob), listens(b, alice)]);
    const other = await connect({ servers: server.url });
    const reply = subjectOf(network, bob);
    other.publish(`${subjectOf(network, alice)}.presence`, '', { reply });
    await other.flush();
    expect(await stateOf(b, alice)).toBe('reachable');
    a.publish(bob, bytes('only this'));
    await until(() => atBob.length > 0, 'the payload');
    expect(atBob).toEqual(['only this']);
    await other.close();
  });

  it('lets a bug in the handler end the process instead of going deaf', async () => {
    const a = viaNats(alice);
    let calls = 0;
    a.onMessage(() => {
      calls++;
      throw new Error('a bug');
    }, alicesKey);
    await connected(a);
    await listens(a, alice);
    const usual = process.listeners('uncaughtException');
    const caught: unknown[] = [];
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => caught.push(error));
    a.publish(alice, bytes('first'));
    a.publish(alice, bytes('second'));
    await until(() => caught.length === 2, 'both exceptions');
    process.removeAllListeners('uncaughtException');
    for (const listener of usual) process.on('uncaughtException', listener);
    expect(calls).toBe(2);
    expect(caught[0]).toEqual(new Error('a bug'));
  });

  it('does not know whether a node listens that does not answer in time', async () => {
    const a = viaNats(alice);
    const mute = await connect({ servers: server.url });
    mute.subscribe(`${subjectOf(network, bob)}.presence`);
    await mute.flush();
    await connected(a);
    expect(await stateOf(a, bob)).toBe('unknown');
    await mute.close();
  });

  it('finds the right key behind wrong answers, however many come before it', async () => {
    const [a, b] = [viaNats(alice), viaNats(bob)];
    const liar = await connect({ servers: server.url });
    const right = encodePresence(bobsKey, 'x'.repeat(36));
    const wrong = [
      encodePresence(alicesKey, 'x'.repeat(36)),
      right.subarray(1),
      Buffer.from('hello'),
      Uint8Array.of(2, ...right.subarray(1)),
      Uint8Array.of(...right, 0),
      new Uint8Array(0),
    ];
    liar.subscribe(`${subjectOf(network, bob)}.presence`, {
      callback: (_, request) => wrong.forEach((answer) => void request.respond(answer)),
    });
    await liar.flush();
    await connected(a, b);
    expect(await a.presence(bob)).toEqual({ state: 'unknown' });
    inbox(b, bobsKey);
    await listens(a, bob);
    const seen = await a.presence(bob);
    expect(seen.state === 'reachable' && Buffer.from(seen.publicKey).equals(bobsKey)).toBe(true);
    await liar.close();
  });

  it('says whether a stream keeps the other process with its key from going on', async () => {
    const [own, others] = [fenceOf('n', '1'), fenceOf('n', '2')];
    const first = viaNats(alice, { fence: own });
    inbox(first, alicesKey);
    await connected(first);
    await listens(first, alice);
    const asked = async (fence: Fence) => {
      const second = viaNats(alice, { fence });
      await connected(second);
      return second.findRival();
    };
    expect(await Promise.all([own, others, null].map(asked))).toEqual(['fenced', 'free', 'free']);
  });

  it('hears of a process that nothing keeps out beside one that its stream keeps out', async () => {
    const own = fenceOf('n', '1');
    const [kept, free] = [viaNats(alice, { fence: own }), viaNats(alice)];
    inbox(kept, alicesKey);
    inbox(free, alicesKey);
    const asking = viaNats(alice, { fence: own });
    await connected(kept, free, asking);
    await until(async () => (await asking.findRival()) === 'free', 'the free one to be found');
  });

  it('does not believe that another process has its key without a signature of that key', async () => {
    const a = viaNats(alice);
    inbox(a, alicesKey);
    await connected(a);
    await listens(a, alice);
    const stranger = await connect({ servers: server.url });
    const place = { ...network, address: alice };
    const elsewhere = { ...place, chainId: 1n };
    const alicesProof = { place, fence: null, sign: keyOf(1).sign };
    let asked = 0;
    stranger.subscribe(`${subjectOf(network, alice)}.presence`, {
      callback(_, request) {
        if (!isQuestion(request.data)) return;
        asked += 1;
        request.respond(encodePresence(alicesKey, 'y'.repeat(36)));
        request.respond(answerTo(request.data, { ...alicesProof, sign: keyOf(2).sign }));
        request.respond(answerTo(request.data, { ...alicesProof, place: elsewhere }));
        request.respond(answerTo(drawQuestion(), alicesProof));
        for (let count = 0; count < 1_000; count++) request.respond(new Uint8Array(98).fill(1));
      },
    });
    await stranger.flush();
    expect(await a.findRival()).toBe('none');
    expect(asked).toBe(1);
    await stranger.close();
  });

  it('proves its key to others who ask, and never to itself through a stranger', async () => {
    const a = viaNats(alice);
    inbox(a, alicesKey);
    await connected(a);
    await listens(a, alice);
    const stranger = await connect({ servers: server.url });
    const subject = `${subjectOf(network, alice)}.presence`;
    const own = drawQuestion();
    const proof = (await stranger.request(subject, own)).data;
    expect(provesKey(proof, own, { place: { ...network, address: alice }, recover })).toBe(true);
    const ofAnotherStream = Uint8Array.from(proof);
    ofAnotherStream[1] = 1;
    const place = { ...network, address: alice };
    expect(provesKey(ofAnotherStream, own, { place, recover })).toBe(false);
    const relayed: Promise<boolean>[] = [];
    stranger.subscribe(subject, {
      callback(_, request) {
        if (!isQuestion(request.data) || relayed.length > 0) return;
        const answer = stranger.request(subject, request.data, { timeout: 300 });
        relayed.push(answer.then((got) => request.respond(got.data)).catch(() => false));
      },
    });
    await stranger.flush();
    expect(await a.findRival()).toBe('none');
    expect(await Promise.all(relayed)).toEqual([false]);
    await stranger.close();
  });

  it('limits how often it signs for strangers', async () => {
    const a = viaNats(alice);
    inbox(a, alicesKey);
    await connected(a);
    await listens(a, alice);
    const stranger = await connect({ servers: server.url });
    const answers = stranger.subscribe('_INBOX.many', { callback() {} });
    const subject = `${subjectOf(network, alice)}.presence`;
    for (let count = 0; count < 5_000; count++)
      stranger.publish(subject, drawQuestion(), { reply: '_INBOX.many' });
    // The node answers in order: once it has answered this request, it has seen all the others.
    await stranger.request(subject);
    await stranger.flush();
    expect(answers.getReceived()).toBeGreaterThanOrEqual(20);
    expect(answers.getReceived()).toBeLessThan(100);
    await stranger.close();
  });

  it('refuses text that is no URL', () => {
    expect(() => viaNats(alice, { url: 'http://127.0.0.1:1' })).toThrow('not a NATS address');
  });
});

describe('a NATS server with a login', () => {
  let guarded: NatsServer;
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const withLogin = (login: string) => guarded.url.replace('nats://', `nats://${login}@`);

  beforeAll(async () => {
    guarded = await startNats({ args: ['--user', 'node', '--pass', 'p@ss:word'] });
  });
  afterEach(() => problems.splice(0));
  afterAll(() => guarded.stop());

  it('is joined with the login of the URL', async () => {
    const a = viaNats(alice, { url: withLogin('node:p%40ss%3Aword') });
    await connected(a);
    expect(problems).toEqual([]);
  });

  it('is tried again and again with a wrong login, without showing it', async () => {
    const a = viaNats(alice, { url: withLogin('node:hunter2'), report });
    await until(() => problems.length > 0, 'the report');
    expect(a.isConnected()).toBe(false);
    expect(problems.join()).toContain('Authorization Violation');
    expect(problems.join()).not.toContain('hunter2');
  });
});

describe('a NATS server that does not let a node listen', () => {
  it('is reported, and the node does not call itself connected', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-nats-'));
    const file = join(folder, 'server.conf');
    writeFileSync(
      file,
      'authorization { users: [ { user: a, password: b, permissions: { subscribe: "_INBOX.>" } } ] }',
    );
    const strict = await startNats({ args: ['--config', file] });
    left.push(strict.stop);
    const problems: string[] = [];
    const url = strict.url.replace('nats://', 'nats://a:b@');
    const a = viaNats(alice, { url, report: (problem) => problems.push(problem) });
    inbox(a, alicesKey);
    await until(() => problems.some((problem) => problem.includes('listen')), 'the report');
    expect(a.isConnected()).toBe(false);
    expect(problems.join()).toContain(subjectOf(network, alice));
    rmSync(folder, { recursive: true });
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.runIf(hasOpenssl)('a NATS server with TLS', () => {
  let folder: string;
  let secure: NatsServer;
  let authority: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', key, '-out', certificate];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', ...kind, '-days', '2', ...subject, ...files], {
      stdio: 'ignore',
    });
    authority = readFileSync(certificate, 'utf8');
    secure = await startNats({ args: ['--tls', '--tlscert', certificate, '--tlskey', key] });
  });

  afterAll(async () => {
    await secure.stop();
    rmSync(folder, { recursive: true });
  });

  it('is joined when its authority is known, and refused when it is not', async () => {
    const url = `tls://localhost:${secure.port}`;
    const problems: string[] = [];
    const a = viaNats(alice, { url, access: () => ({ authority }) });
    const b = viaNats(bob, { url, report: (problem) => problems.push(problem) });
    const atAlice = inbox(a, alicesKey);
    await connected(a);
    await listens(a, alice);
    a.publish(alice, bytes('under seal'));
    await until(() => atAlice.length > 0 && problems.length > 0, 'payload and refusal');
    expect(atAlice).toEqual(['under seal']);
    expect(b.isConnected()).toBe(false);
    expect(problems.join()).toContain('self-signed');
  });

  it('is not connected to when it has no TLS', async () => {
    const problems: string[] = [];
    const url = server.url.replace('nats://127.0.0.1', 'tls://localhost');
    const a = viaNats(alice, { url, report: (problem) => problems.push(problem) });
    await until(() => problems.length > 0, 'the refusal');
    expect(a.isConnected()).toBe(false);
  });
});
