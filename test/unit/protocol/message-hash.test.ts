import { recoverAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { isSigned, packAdditional } from '../../../src/protocol/messages/table.ts';
import { decodeMessage } from '../../../src/protocol/wire/message-codec.ts';
import {
  additionalHash,
  packMessage,
  signingDigest,
} from '../../../src/protocol/wire/message-hash.ts';
import {
  canonicalJson,
  metadataHash,
  routesMetadata,
} from '../../../src/protocol/wire/metadata.ts';
import vectors from '../../vectors.json' with { type: 'json' };
import { addressOf } from './support.ts';

/** Messages to services, which are tested where they are packed. */
const FOR_SERVICES = ['PFSCapacityUpdate', 'PFSFeeUpdate', 'RequestMonitoring'];
const rows = vectors.messages.cases.filter(({ json }) => !FOR_SERVICES.includes(json.type));

function decoded(json: object) {
  const result = decodeMessage(JSON.stringify(json));
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

describe('partner messages', () => {
  it('has a vector for each type but our own', () => {
    expect(new Set(rows.map(({ json }) => json.type)).size).toBe(11);
  });

  it.each(rows.filter(({ json }) => isSigned(decoded(json).message)))(
    'packs and signs $name as the references do',
    async (row) => {
      const { message, signature } = decoded(row.json);
      if (!isSigned(message) || signature === null) throw new Error('no contract reads it');
      const packed = packMessage(message);
      expect(toHex(packed)).toBe(row.packed.toLowerCase());
      expect(packed).toHaveLength(row.packed_length);
      const hash = toHex(signingDigest(message));
      expect(hash).toBe(row.eip191_hash);
      expect(await recoverAddress({ hash, signature })).toBe(row.signer);
    },
  );

  it.each(rows.filter((row) => 'additional_hash' in row))(
    'binds the other fields of $name',
    ({ json, ...row }) => {
      const { message } = decoded(json);
      if (!('nonce' in message && 'locksroot' in message)) throw new Error('no envelope');
      expect(toHex(packAdditional(message))).toBe(row.additional_hash_input?.toLowerCase());
      expect(additionalHash(message)).toBe(row.additional_hash);
      expect(balanceHash(message)).toBe(row.balance_hash);
    },
  );

  const transfers = rows.filter((row) => 'metadata_hash' in row);
  it.each(transfers)('keeps the metadata of $name as it came', ({ json, ...row }) => {
    const { message } = decoded(json);
    if (!('metadata' in message)) throw new Error('no transfer');
    expect(message.metadata).toBe(row.metadata_canonical_json);
    expect(metadataHash(message.metadata)).toBe(row.metadata_hash);
  });
});

describe('metadata', () => {
  it('has the routes in the form that light clients send', () => {
    const row = rows.find(({ name }) => name === 'light-client/LockedTransfer');
    const route = row?.json.metadata?.routes[0]?.route ?? [];
    expect(routesMetadata(route.map(addressOf))).toBe(row?.metadata_canonical_json);
  });

  it('is canonical whatever the order of its names', () => {
    expect(canonicalJson({ b: [1, { d: null, c: true }], a: 'é"\n', A: -2 })).toBe(
      '{"A":-2,"a":"é\\"\\n","b":[1,{"c":true,"d":null}]}',
    );
  });

  it.each([[1.5], [2 ** 53], [-0], ['\ud800'], [{ '\udfff': 1 }], [undefined], [1n], [Number.NaN]])(
    'refuses %o, about which two programs could disagree',
    (value) => {
      expect(() => canonicalJson({ value })).toThrow(TypeError);
    },
  );
});
