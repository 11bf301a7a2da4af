import { Command } from 'commander';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { PATHFINDING_OPTIONS } from '../../../src/cli/options/services.ts';
import { valuesOf } from '../../../src/cli/options/settings.ts';
import * as values from '../../../src/cli/options/values.ts';
import { freePort } from '../../../src/host/port.ts';
import { BLOCKED_PORTS } from '../../../src/http/blocked-ports.ts';

const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const OTHER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

function understood<T>(schema: v.GenericSchema<string, T>, text: string): T | null {
  const parsed = v.safeParse(schema, text);
  return parsed.success ? parsed.output : null;
}

describe('the text of an option', () => {
  it.each<[string, v.GenericSchema<string, unknown>, unknown]>([
    [ADDRESS.toLowerCase(), values.address, ADDRESS],
    ['31337', values.bigNumber(1n, 2n ** 64n), 31_337n],
    ['0', values.wholeNumber(0, 5), 0],
    ['0.25', values.seconds(0.05), 0.25],
    ['1', values.seconds(0.05), 1],
    ['36h', values.longDuration, 36 * 3_600_000],
    ['90d', values.longDuration, 90 * 86_400_000],
    ['2y', values.longDuration, 730 * 86_400_000],
    ['2026-01-31', values.date, Date.UTC(2026, 0, 31)],
    ['2026-01-31T12:30Z', values.date, Date.UTC(2026, 0, 31, 12, 30)],
    ['https://node.example/key', values.httpUrl, 'https://node.example/key'],
    ['nats://127.0.0.1:4222', values.natsUrl, 'nats://127.0.0.1:4222'],
    ['*', values.originsOrAll, ['*']],
    ['https://a.example', values.originsOrAll, ['https://a.example']],
    ['127.0.0.1:0', values.hostAndPort, { host: '127.0.0.1', port: 0 }],
    ['[::1]:5001', values.hostAndPort, { host: '[::1]', port: 5001 }],
    ['unix:/run/node.sock', values.hostAndPort, { host: 'unix:/run/node.sock', port: 0 }],
    ['localhost:5001', values.hostAndPort, { host: 'localhost', port: 5001 }],
    ['0', values.port, 0],
    ['6001', values.port, 6001],
    ['true', values.portOr(8080), 8080],
    ['6001', values.portOr(8080), 6001],
    ['false', values.portOr(8080), null],
    ['http://localhost/x', values.plainUrl, 'http://localhost/x'],
    ['http://a/,https://b/?k=%2C', values.plainUrls, ['http://a/', 'https://b/?k=%2C']],
    [
      'https://a.example, http://localhost:*',
      values.origins,
      ['https://a.example', 'http://localhost:*'],
    ],
    ['', values.origins, []],
    ['true', values.rpcMethods, []],
    ['false', values.rpcMethods, null],
    ['eth_sendRawTransaction', values.rpcMethods, ['eth_sendRawTransaction']],
    ['warn', values.oneOf(['info', 'warn']), 'warn'],
    [`${ADDRESS.toLowerCase()}=50`, values.perToken(50n), new Map([[ADDRESS, 50n]])],
    [
      `${ADDRESS}=0, ${OTHER}=7`,
      values.perToken(50n),
      new Map([
        [ADDRESS, 0n],
        [OTHER, 7n],
      ]),
    ],
  ])('%s is understood', (text, schema, value) => {
    expect(understood(schema, text)).toEqual(value);
  });

  it.each<[string, v.GenericSchema<string, unknown>]>([
    ['*', values.origins],
    ['eth', values.rpcMethods],
    ['0x12', values.address],
    ['1e3', values.bigNumber(0n, 10_000n)],
    ['-1', values.wholeNumber(-5, 5)],
    ['6', values.wholeNumber(0, 5)],
    ['0', values.seconds(0.05)],
    ['4000', values.seconds(0.05)],
    ['90', values.longDuration],
    ['0d', values.longDuration],
    ['2026-02-31x', values.date],
    ['31.1.2026', values.date],
    ['ws://127.0.0.1:8545', values.httpUrl],
    ['127.0.0.1:8545', values.httpUrl],
    ['http://127.0.0.1:4222', values.natsUrl],
    ['5001', values.hostAndPort],
    ['unix:node.sock', values.hostAndPort],
    [`unix:/${'x'.repeat(103)}`, values.hostAndPort],
    ['::1:5001', values.hostAndPort],
    ['127.0.0.1:70000', values.hostAndPort],
    ['https://user:password@host/', values.plainUrl],
    ['ftp://host/', values.plainUrls],
    ['http://127.0.0.1:6000', values.plainUrl],
    ['http://a/,http://b:6667/', values.plainUrls],
    ['http://127.0.0.1:6000', values.httpUrl],
    ['127.0.0.1:6000', values.hostAndPort],
    ['[::1]:22', values.hostAndPort],
    ['5060', values.port],
    ['65536', values.port],
    ['10080', values.portOr(8080)],
    ['http://a/,', values.plainUrls],
    ['loud', values.oneOf(['info', 'warn'])],
    ['', values.text],
    ['', values.perToken(50n)],
    [ADDRESS, values.perToken(50n)],
    ['5=5', values.perToken(50n)],
    [`${ADDRESS}=51`, values.perToken(50n)],
    [`${ADDRESS}=-1`, values.perToken(50n)],
    [`${ADDRESS}=5=5`, values.perToken(50n)],
    [`${ADDRESS}=5,${ADDRESS.toLowerCase()}=6`, values.perToken(50n)],
    [`${ADDRESS}=5,`, values.perToken(50n)],
  ])('%s is refused', (text, schema) => {
    expect(understood(schema, text)).toBeNull();
  });
});

describe('a port that no page and no node can call', () => {
  it.each(BLOCKED_PORTS)('is %i', async (port) => {
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      cause: { message: 'bad port' },
    });
  });

  it('is not the one on which a path-finding service listens by itself', () => {
    const { apiAddress } = PATHFINDING_OPTIONS;
    const { port } = valuesOf(new Command(), { apiAddress }, {}).apiAddress;
    expect(port).toBeGreaterThan(1023);
    expect(BLOCKED_PORTS).not.toContain(port);
  });

  it('is refused with the reason where somebody wants to listen on it', () => {
    const parsed = v.safeParse(values.hostAndPort, '127.0.0.1:6000');
    expect(parsed.issues?.[0].message).toMatch(/port that fetch refuses/);
  });

  it('is passed over when a devnet looks for the next free one', async () => {
    expect(await freePort(5060)).toBeGreaterThan(5061);
    expect(await freePort(6000)).toBeGreaterThan(6000);
  });
});
