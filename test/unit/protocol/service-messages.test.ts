import { recoverAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { type Signature, toHex } from '../../../src/basics/hex.ts';
import { isTimestamp, microsecondsOf } from '../../../src/basics/timestamp.ts';
import { timestampOf } from '../../../src/node/messaging/timestamp.ts';
import { monitoringDigests } from '../../../src/protocol/services/monitoring-request.ts';
import { MAX_PENALTY_POINTS } from '../../../src/protocol/services/pfs-update.ts';
import type { ServiceMessage } from '../../../src/protocol/services/service-message-types.ts';
import {
  decodeServiceMessage,
  decodeServiceMessages,
  encodeServiceMessage,
  serviceMessageDigest,
} from '../../../src/protocol/services/service-messages.ts';
import vectors from '../../vectors.json' with { type: 'json' };

const TYPES = ['PFSCapacityUpdate', 'PFSFeeUpdate', 'RequestMonitoring'];
const rows = vectors.messages.cases.filter(({ json }) => TYPES.includes(json.type));

type Wire = { [name: string]: unknown };

function wireOf(type: string): Wire {
  const row = rows.find(({ json }) => json.type === type);
  if (row === undefined) throw new Error(`no vector of ${type}`);
  return { ...row.json };
}

function read(wire: Wire) {
  const result = decodeServiceMessage(JSON.stringify(wire));
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

function reasonOf(wire: Wire): string | null {
  const result = decodeServiceMessage(JSON.stringify(wire));
  return result.ok ? null : result.reason;
}

/** The wire fields with one inner field changed. */
function inside(wire: Wire, name: string, change: Wire): Wire {
  return { ...wire, [name]: { ...Object(wire[name]), ...change } };
}

function signerOf(digest: Uint8Array, signature: Signature) {
  return recoverAddress({ hash: toHex(digest), signature });
}

function requestOf(message: ServiceMessage) {
  if (message.type !== 'RequestMonitoring') throw new Error(`this is a ${message.type}`);
  return message;
}

describe('a message to services', () => {
  it('has vectors of every type', () => {
    expect(rows).toHaveLength(7);
    expect(new Set(rows.map(({ json }) => json.type))).toEqual(new Set(TYPES));
  });

  it.each(rows)('of $name is written as it was read', ({ json }) => {
    const line = encodeServiceMessage(read(json));
    expect(line).not.toContain('\n');
    const lowerCase = (wire: string): unknown => JSON.parse(wire.toLowerCase());
    const proof = 'balance_proof' in json ? { ...json.balance_proof } : {};
    // What older nodes write besides, and nobody reads.
    Reflect.deleteProperty(proof, 'non_closing_signature');
    const full = 'balance_proof' in json ? { ...json, balance_proof: proof } : json;
    expect(lowerCase(line)).toEqual(lowerCase(JSON.stringify(full)));
  });

  it.each(rows)('of $name shows who signed it', async ({ json, signer }) => {
    const { message, signature } = read(json);
    expect(await signerOf(serviceMessageDigest(message), signature)).toBe(signer);
  });

  it('may have fields that nobody knows', () => {
    for (const type of TYPES) {
      const wire = wireOf(type);
      expect(read({ ...wire, unknown: { deeper: [1.5, null] } })).toEqual(read(wire));
    }
  });

  it('is the same whatever the case of its addresses', () => {
    for (const type of TYPES) {
      const of = (node: string) => rows.find(({ name }) => name === `${node}/${type}`)?.json ?? {};
      expect(read(of('raiden'))).toEqual(read(of('light-client')));
    }
  });

  it('stands in a batch with others, and what is none is named by its line', () => {
    const lines = rows.map(({ json }) => JSON.stringify(json));
    const payload = Buffer.from(['{"type":"Processed"}', ...lines, '', 'no'].join('\n'));
    const { messages, refused } = decodeServiceMessages(payload);
    expect(messages).toEqual(rows.map(({ json }) => read(json)));
    expect(refused).toEqual([
      { line: 1, reason: 'unknown type' },
      { line: 10, reason: 'not JSON' },
    ]);
  });

  it.each([undefined, 5, ['PFSFeeUpdate'], 'toString', 'Processed'])(
    'is refused with %o as its type',
    (type) => expect(reasonOf({ ...wireOf('PFSFeeUpdate'), type })).toBe('unknown type'),
  );

  it('is refused unread in a payload that is too large', () => {
    const limit = { bytes: 10, lines: 10 };
    const { messages, refused } = decodeServiceMessages(Buffer.from('{}'.repeat(6)), limit);
    expect(messages).toEqual([]);
    expect(refused).toEqual([{ line: 0, reason: 'longer than 10 bytes' }]);
  });
});

describe('a capacity update', () => {
  const UPDATE = wireOf('PFSCapacityUpdate');

  it.each([
    [inside(UPDATE, 'canonical_identifier', { channel_identifier: '0' }), 'canonical_identifier'],
    [{ ...UPDATE, canonical_identifier: null }, 'canonical_identifier'],
    [{ ...UPDATE, updating_capacity: String(2n ** 256n) }, 'updating_capacity'],
    [{ ...UPDATE, other_nonce: String(2n ** 64n) }, 'other_nonce'],
    [{ ...UPDATE, reveal_timeout: 50 }, 'reveal_timeout'],
    [{ ...UPDATE, signature: '0x' }, 'signature'],
  ])('is refused with the name of what is wrong', (wire, name) => {
    expect(reasonOf(wire)).toContain(name);
  });
});

describe('a fee update', () => {
  const UPDATE = wireOf('PFSFeeUpdate');
  const withCurve = (curve: unknown) =>
    inside(UPDATE, 'fee_schedule', { imbalance_penalty: curve });
  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => [String(at), String(at)]);

  it('carries a curve with as many points as anybody needs', () => {
    const { message } = read(withCurve(steps(MAX_PENALTY_POINTS)));
    expect(message).toMatchObject({ schedule: { imbalancePenalty: { length: 100 } } });
  });

  it.each([
    ['more points than anybody needs', steps(MAX_PENALTY_POINTS + 1)],
    ['one point', steps(1)],
    ['no point', []],
    ['points that do not ascend', steps(3).reverse()],
    ['a point twice', [...steps(2), ...steps(2)]],
    ['a point of three numbers', [...steps(2), ['2', '2', '2']]],
    ['a point of one number', [...steps(2), ['2']]],
    ['a point that is text', [...steps(2), '22']],
    ['a balance that is none', [...steps(2), ['x', '2']]],
    ['a penalty below nothing', [...steps(2), ['2', '-1']]],
    ['a number that is no text', [...steps(2), [2, 2]]],
    ['something else', { length: 2 }],
  ])('is refused with a curve of %s', (_, curve) => {
    expect(reasonOf(withCurve(curve))).toContain('imbalance_penalty');
  });

  it.each([
    '2021-13-01T00:00:00',
    '2021-05-18T14:23:14Z',
    '2021-05-18T14:23:14.',
    '2021-05-18T14:23:14.1234567',
    '12021-05-18T14:23:14',
    ' 2021-05-18T14:23:14',
    '2021-05-18',
    '',
    5,
  ])('is refused at the time %o', (timestamp) => {
    expect(reasonOf({ ...UPDATE, timestamp })).toContain('timestamp');
  });

  it('is refused at a time in a list', () => {
    expect(reasonOf({ ...UPDATE, timestamp: ['2021-05-18T14:23:14'] })).toContain('timestamp');
  });
});

describe('a monitoring request', () => {
  const REQUEST = wireOf('RequestMonitoring');

  it.each(rows.filter(({ json }) => json.type === 'RequestMonitoring'))(
    'of $name shows who signed the proof, and who its update',
    async ({ json, inner_balance_proof: inner, non_closing: update }) => {
      const request = requestOf(read(json).message);
      const digests = monitoringDigests(request);
      expect(await signerOf(digests.proof, request.proofSignature)).toBe(inner?.signer);
      expect(await signerOf(digests.update, request.nonClosingSignature)).toBe(update?.signer);
    },
  );

  it.each([
    [inside(REQUEST, 'balance_proof', { nonce: '0' }), 'balance_proof.nonce'],
    [inside(REQUEST, 'balance_proof', { signature: `0x${'00'.repeat(65)}` }), 'signature'],
    [{ ...REQUEST, non_closing_signature: `0x${'00'.repeat(65)}` }, 'non_closing_signature'],
    [{ ...REQUEST, balance_proof: [] }, 'balance_proof'],
  ])('is refused when there is nothing to bring on chain', (wire, name) => {
    expect(reasonOf(wire)).toContain(name);
  });
});

describe('a timestamp', () => {
  it('is written in milliseconds and read in microseconds', () => {
    expect(timestampOf(1_621_347_794_803)).toBe('2021-05-18T14:23:14.803');
    expect(microsecondsOf('2021-05-18T14:23:14.803447')).toBe(1_621_347_794_803_447n);
    expect(microsecondsOf('2021-05-18T14:23:14')).toBe(1_621_347_794_000_000n);
    expect(microsecondsOf('2021-05-18T14:23:14.5')).toBe(1_621_347_794_500_000n);
    expect(isTimestamp(timestampOf(0))).toBe(true);
  });
});
