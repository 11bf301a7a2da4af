import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/cli/process/log.ts';
import { cleanFields, cleanText } from '../../../src/cli/process/redact.ts';

const KEY = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const SIGNATURE = `0x${'5a'.repeat(65)}`;
const BYTES = Buffer.from(KEY, 'hex');

describe('what goes into the log', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ['bytes', { bytes: new Uint8Array(BYTES) }, { bytes: '[32 bytes]' }],
    ['a buffer of 65 bytes', { it: Buffer.alloc(65) }, { it: '[65 bytes]' }],
    [
      'a buffer that was JSON',
      { it: BYTES.toJSON() },
      { it: { type: 'Buffer', data: '[32 bytes]' } },
    ],
    ['bytes without a view', { it: new Uint8Array(BYTES).buffer }, { it: '[32 bytes]' }],
    ['a view of bytes', { it: new DataView(new ArrayBuffer(8)) }, { it: '[8 bytes]' }],
    ['a key in hexadecimal', { it: `0x${KEY}` }, { it: '[32 bytes]' }],
    ['a key without 0x, in capitals', { it: KEY.toUpperCase() }, { it: '[32 bytes]' }],
    ['a signature', { list: [SIGNATURE] }, { list: ['[65 bytes]'] }],
    ['calldata in a sentence', { it: `data: 0x12ad8bfc${KEY}.` }, { it: 'data: [36 bytes].' }],
    [
      'a secret by its name',
      { a: { secret: 'x', privateKey: 1 } },
      { a: { secret: '[hidden]', privateKey: '[hidden]' } },
    ],
    [
      'a secret that is called a hash',
      { secret_hash: `${KEY}${KEY}` },
      { secret_hash: '[64 bytes]' },
    ],
    ['something in a map', { it: new Map([['a', BYTES]]) }, { it: [['a', '[32 bytes]']] }],
    ['an object with methods', { it: new Headers({ authorization: 'x' }) }, { it: '[Headers]' }],
    ['a function', { sign: () => KEY }, { sign: '[function]' }],
  ])('hides %s', (_, entry, cleaned) => {
    expect(cleanFields(entry)).toEqual(cleaned);
  });

  it.each([
    ['http://user:pa55@host:8545/', 'http://host:8545'],
    ['https://mainnet.example/v3/0123456789abcdef', 'https://mainnet.example/…'],
    ['wss://host/?apikey=0123456789', 'wss://host/…'],
    ['nats://a:b@one:4222,nats://c:d@two:4222', 'nats://one:4222,nats://two:4222'],
    ['nats://s3cr3t-token@one:4222', 'nats://one:4222'],
    ['http://user:p,a@s@host/', 'http://host'],
    ['see http://user:a/b@host', 'see [URL]'],
    ['http://127.0.0.1:5001', 'http://127.0.0.1:5001'],
    ['file:///var/lib/node.db', 'file:///var/lib/node.db'],
  ])('leaves of a URL its host: %s', (text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
    expect(cleanFields({ it: text })).toEqual({ it: cleaned });
  });

  it('keeps what is public: hashes by their name, amounts, addresses and actors', () => {
    const facts = {
      transactionHash: `0x${KEY}`,
      secrethash: `0x${KEY}`,
      locksroot: `0x${KEY}`,
      amount: String(2n ** 255n),
      address: `0x${'ab'.repeat(20)}`,
      actor: `initiator:0x${KEY}`,
      ok: true,
      nothing: null,
    };
    expect(cleanFields(facts)).toEqual(facts);
  });

  it('tells what an error says and what caused it, without what they hold', () => {
    const cause = Object.assign(new Error(`POST http://user:pa55@host/${KEY} failed`), {
      request: { body: KEY },
    });
    const error = new Error(`cannot register 0x${KEY}`, { cause });
    expect(cleanFields({ error })).toEqual({
      error: 'cannot register [32 bytes], because: POST http://host/… failed',
    });
  });

  it('is written whatever it is: cycles, depth, getters and proxies that throw', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const thrower = {
      get it(): never {
        throw new Error(KEY);
      },
    };
    const proxy = new Proxy({}, { getPrototypeOf: () => thrower.it });
    const text = JSON.stringify(
      cleanFields({ circle, thrower, proxy, wide: Array(1_000).fill('x') }),
    );
    expect(text).toContain('[deeper]');
    expect(text).toContain('[unreadable]');
    expect(text).not.toContain(KEY);
    expect(text.length).toBeLessThan(2_000);
  });

  it('never holds a key, wherever it was', () => {
    const holder = fc.oneof(
      fc.constant(KEY),
      fc.constant(`0x${KEY}`),
      fc.constant(BYTES),
      fc.constant(new Uint8Array(BYTES)),
      fc.constant([...BYTES]),
      fc.constant(new Error(`no ${KEY}`, { cause: new Error(`0x${KEY}`) })),
      fc.constant(`https://node.example/${KEY}`),
      fc.string().map((text) => `${text}${KEY}`),
    );
    const { entry } = fc.letrec((tie) => ({
      entry: fc.dictionary(fc.string(), tie('value')),
      value: fc.oneof({ depthSize: 'small' }, holder, tie('entry'), fc.array(tie('value'))),
    }));
    const digits = BYTES.join(',');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), entry), (fields) => {
        for (const isJson of [true, false]) {
          const lines: string[] = [];
          const log = createLog({ level: 'info', isJson, write: (line) => lines.push(line) });
          log.warn(fields, `it was 0x${KEY}`);
          expect(lines).toHaveLength(1);
          expect(lines[0]).not.toContain(KEY);
          expect(lines[0]).not.toContain(digits);
        }
      }),
      { numRuns: 40 },
    );
  });
});
