import { recoverAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import { balanceHash } from '../../../src/protocol/channel/balance-proof.ts';
import { decodeMessage } from '../../../src/protocol/messages/message-codec.ts';
import {
  additionalHash,
  packMessage,
  signingDigest,
} from '../../../src/protocol/messages/message-hash.ts';
import { isSigned } from '../../../src/protocol/messages/table.ts';
import { packAdditional, type Update } from '../../../src/protocol/messages/update.ts';
import {
  metadataHash,
  routesMetadata,
  tryCanonicalJson,
} from '../../../src/protocol/wire/metadata.ts';
import { hashOf, STRANGER } from '../../support/makers.ts';
import updates from '../../update-vectors.json' with { type: 'json' };
import { addressOf, publishedCases } from './support.ts';

/** Messages to services, which are tested where they are packed. */
const FOR_SERVICES = ['PFSCapacityUpdate', 'PFSFeeUpdate', 'RequestMonitoring'];
const rows = publishedCases.filter(({ json }) => !FOR_SERVICES.includes(json.type));

function decoded(json: object) {
  const result = decodeMessage(JSON.stringify(json));
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

describe('partner messages', () => {
  it('has a vector for each type but our own', () => {
    expect(new Set(rows.map(({ json }) => json.type)).size).toBe(7);
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
});

/** Made by another program, which makes the published signatures, too. */
describe('an Update', () => {
  it.each(updates.cases)(
    'of $name is packed, hashed and signed as another program does',
    async (row) => {
      const { message, signature } = decoded(row.json);
      if (message.type !== 'Update' || signature === null) throw new Error('no Update');
      expect(toHex(packAdditional(message))).toBe(row.additional_hash_input);
      expect(additionalHash(message)).toBe(row.additional_hash);
      expect(balanceHash(message)).toBe(row.balance_hash);
      expect(toHex(packMessage(message))).toBe(row.packed);
      expect(row.packed_length).toBe(212);
      const hash = toHex(signingDigest(message));
      expect(hash).toBe(row.eip191_hash);
      expect(await recoverAddress({ hash, signature })).toBe(row.signer);
      const metadata = message.changes.flatMap((change) =>
        'metadata' in change ? metadataHash(change.metadata) : [],
      );
      expect(metadata).toEqual(row.metadata_hashes);
    },
  );

  it('has another hash when anything in a change is another, or their order or number', () => {
    const row = updates.cases.find(({ name }) => name.startsWith('all types'));
    const { message } = decoded(row?.json ?? {});
    if (message.type !== 'Update') throw new Error('no Update');
    const hashes = new Set(variantsOf(message).map(additionalHash));
    expect(hashes.size).toBe(variantsOf(message).length);
  });
});

/** The Update, and others that differ from it in one thing each. */
function variantsOf(message: Update): Update[] {
  const { changes } = message;
  const replaced = (place: number, change: Update['changes'][number]): Update => ({
    ...message,
    changes: changes.map((one, at) => (at === place ? change : one)),
  });
  const spoilt = changes.flatMap((change, place): Update[] =>
    Object.entries(change).flatMap(([name, value]) => {
      if (name === 'type') return 'lock' in change ? [replaced(place, other(change))] : [];
      if (name === 'lock' && 'lock' in change) {
        const { lock } = change;
        return [
          replaced(place, { ...change, lock: { ...lock, amount: lock.amount + 1n } }),
          replaced(place, { ...change, lock: { ...lock, expiration: lock.expiration + 1n } }),
          replaced(place, { ...change, lock: { ...lock, secrethash: hashOf(99) } }),
        ];
      }
      return [replaced(place, { ...change, [name]: otherValue(value) })];
    }),
  );
  return [
    message,
    { ...message, messageId: message.messageId + 1n },
    { ...message, changes: changes.toReversed() },
    { ...message, changes: changes.slice(1) },
    { ...message, changes: changes.slice(0, -1) },
    ...spoilt,
  ];
}

const other = (change: Extract<Update['changes'][number], { lock: unknown }>) =>
  change.type === 'lock'
    ? { ...change, type: 'refund' as const }
    : { ...change, type: 'lock' as const };

function otherValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value !== 'string') throw new Error('no field of a change');
  if (value.length === 42) return STRANGER;
  return value.length === 66 ? hashOf(98) : `${value} `;
}

describe('metadata', () => {
  it('has the routes in the form that light clients send', () => {
    const route = [
      '0x77952Ce83Ca3cad9F7AdcFabeDA85Bd2F1f52008',
      '0x94622cC2A5b64a58C25A129d48a2bEEC4b65b779',
    ];
    expect(metadataHash(routesMetadata(route.map(addressOf)))).toBe(
      '0xed422127f356175bb14114f0ce7a04fe20b1aaa9e7df09ec69a4c4157e92b97f',
    );
  });

  it('is canonical whatever the order of its names', () => {
    expect(tryCanonicalJson({ b: [1, { d: null, c: true }], a: 'é"\n', A: -2 })).toBe(
      '{"A":-2,"a":"é\\"\\n","b":[1,{"c":true,"d":null}]}',
    );
  });

  it.each([[1.5], [2 ** 53], [-0], ['\ud800'], [{ '\udfff': 1 }], [undefined], [1n], [Number.NaN]])(
    'refuses %o, about which two programs could disagree',
    (value) => {
      expect(tryCanonicalJson({ value })).toBeNull();
    },
  );
});
