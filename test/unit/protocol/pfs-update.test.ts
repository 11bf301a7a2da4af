import { recoverAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import {
  capacityUpdateDigest,
  feeUpdateDigest,
  packCapacityUpdate,
  packFeeUpdate,
} from '../../../src/protocol/services/pfs-update.ts';
import vectors from '../../vectors.json' with { type: 'json' };
import { addressOf, signatureOf } from './support.ts';

const rows = vectors.messages.cases.flatMap((row) => {
  const { canonical_identifier: id, updating_participant: updating } = row.json;
  if (!id || !updating) return [];
  const common = {
    chainId: BigInt(id.chain_identifier),
    tokenNetwork: addressOf(id.token_network_address),
    channelId: BigInt(id.channel_identifier),
    updatingParticipant: addressOf(updating),
  };
  return [{ ...row, common }];
});

describe('updates for path-finding services', () => {
  it('has five vectors', () => expect(rows).toHaveLength(5));

  it.each(rows.filter(({ json }) => json.type === 'PFSCapacityUpdate'))(
    'packs $name',
    async ({ common, json, packed, signer }) => {
      const update = {
        ...common,
        otherParticipant: addressOf(json.other_participant ?? ''),
        updatingNonce: BigInt(json.updating_nonce ?? ''),
        otherNonce: BigInt(json.other_nonce ?? ''),
        updatingCapacity: BigInt(json.updating_capacity ?? ''),
        otherCapacity: BigInt(json.other_capacity ?? ''),
        revealTimeout: BigInt(json.reveal_timeout ?? ''),
      };
      expect(toHex(packCapacityUpdate(update))).toBe(packed.toLowerCase());
      const hash = toHex(capacityUpdateDigest(update));
      expect(await recoverAddress({ hash, signature: signatureOf(json.signature) })).toBe(signer);
    },
  );

  it.each(rows.filter(({ json }) => json.type === 'PFSFeeUpdate'))(
    'packs $name',
    async ({ common, json, packed, signer }) => {
      const points = json.fee_schedule?.imbalance_penalty ?? null;
      const update = {
        ...common,
        timestamp: json.timestamp ?? '',
        schedule: {
          capFees: json.fee_schedule?.cap_fees ?? false,
          flat: BigInt(json.fee_schedule?.flat ?? ''),
          proportional: BigInt(json.fee_schedule?.proportional ?? ''),
          imbalancePenalty:
            points?.map(([x = '', y = '']) => [BigInt(x), BigInt(y)] as const) ?? null,
        },
      };
      expect(toHex(packFeeUpdate(update))).toBe(packed.toLowerCase());
      const hash = toHex(feeUpdateDigest(update));
      expect(await recoverAddress({ hash, signature: signatureOf(json.signature) })).toBe(signer);
    },
  );
});
