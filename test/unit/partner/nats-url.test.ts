import { describe, expect, it } from 'vitest';
import { parseNatsUrl } from '../../../src/partner/nats-url.ts';

describe('a NATS address', () => {
  it.each([
    ['nats://127.0.0.1:4333', { servers: ['127.0.0.1:4333'], tls: false }],
    ['nats://broker', { servers: ['broker:4222'], tls: false }],
    ['broker:4333', { servers: ['broker:4333'], tls: false }],
    ['tls://broker.example', { servers: ['broker.example:4222'], tls: true }],
    ['nats://[::1]:4333', { servers: ['[::1]:4333'], tls: false }],
    ['nats://a:1, nats://b:2', { servers: ['a:1', 'b:2'], tls: false }],
    ['nats://me:p%40ss@a', { servers: ['a:4222'], tls: false, user: 'me', pass: 'p@ss' }],
    ['nats://t0ken@a', { servers: ['a:4222'], tls: false, token: 't0ken' }],
  ])('is understood: %s', (url, expected) => {
    expect(parseNatsUrl(url)).toEqual(expected);
  });

  it.each(['', 'http://a', 'nats://', 'nats://a:99999', 'nats://a,', 'nats://%zz@a', 'ws://a'])(
    'is not understood: %j',
    (url) => {
      expect(parseNatsUrl(url)).toBeNull();
    },
  );
});
