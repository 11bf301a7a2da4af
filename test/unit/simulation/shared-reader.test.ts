import { describe, expect, it } from 'vitest';
import {
  encodeServiceMessage,
  serviceMessageDigest,
  serviceMessagesIn,
} from '../../../src/protocol/services/service-messages.ts';
import { createSharedReader } from '../../../src/simulation/network/shared-reader.ts';
import { NETWORK, PARTNER, SIGNATURE, STRANGER } from '../../support/makers.ts';

/** A payload with a statement about fees, one about the capacity of a channel, and a line that says nothing. */
function payloadOf({ capacity = 9n } = {}): Buffer {
  const place = { chainId: 7n, tokenNetwork: NETWORK, channelId: 1n };
  const fees = encodeServiceMessage({
    message: {
      type: 'PFSFeeUpdate',
      ...place,
      updatingParticipant: STRANGER,
      schedule: {
        capFees: true,
        flat: 1n,
        proportional: 2n,
        imbalancePenalty: [
          [0n, 3n],
          [10n, 0n],
        ],
      },
      timestamp: '2030-01-01T00:00:00.000000',
    },
    signature: SIGNATURE,
  });
  const capacities = encodeServiceMessage({
    message: {
      type: 'PFSCapacityUpdate',
      ...place,
      updatingParticipant: STRANGER,
      otherParticipant: PARTNER,
      updatingNonce: 1n,
      otherNonce: 1n,
      updatingCapacity: capacity,
      otherCapacity: 0n,
      revealTimeout: 10n,
    },
    signature: SIGNATURE,
  });
  return Buffer.from([fees, capacities, '{}'].join('\n'));
}

const decodedBy = (reader: ReturnType<typeof createSharedReader>, payload: Uint8Array) => [
  ...reader.messagesIn(payload),
];
const messagesOf = (decoded: ReturnType<typeof decodedBy>) =>
  decoded.flatMap((one) => (one.ok ? [one.value.message] : []));

describe('what all simulated nodes hear', () => {
  it('says to each of them what it would read by itself', () => {
    const reader = createSharedReader();
    const payload = payloadOf();
    const alone = [...serviceMessagesIn(payload)];
    expect(alone.map(({ ok }) => ok)).toEqual([true, true, false]);
    for (let node = 0; node < 2; node++) {
      const decoded = decodedBy(reader, payload);
      expect(decoded).toEqual(alone);
      for (const message of messagesOf(decoded))
        expect(reader.digestOf(message)).toEqual(serviceMessageDigest(message));
    }
  });

  it('is read once', () => {
    const reader = createSharedReader();
    const payload = payloadOf();
    const [first, second] = [1, 2].map(() => messagesOf(decodedBy(reader, payload)));
    expect(first).toHaveLength(2);
    for (const [n, message] of (first ?? []).entries()) {
      expect(second?.[n]).toBe(message);
      expect(reader.digestOf(message)).toBe(reader.digestOf(message));
    }
  });

  it('is read anew when the broker has changed it for one of them', () => {
    const reader = createSharedReader();
    const said = messagesOf(decodedBy(reader, payloadOf()));
    const changed = messagesOf(decodedBy(reader, payloadOf({ capacity: 10n })));
    expect(changed[1]).toMatchObject({ updatingCapacity: 10n });
    expect(said[1]).toMatchObject({ updatingCapacity: 9n });
    const digests = [said, changed].map(([, message]) => message && reader.digestOf(message));
    expect(digests[0]).not.toEqual(digests[1]);
  });

  it('cannot be changed by one of them for the others', () => {
    const [fees] = messagesOf(decodedBy(createSharedReader(), payloadOf()));
    if (fees?.type !== 'PFSFeeUpdate') throw new Error('the first one is about fees');
    expect(() => Object.assign(fees.schedule, { flat: 0n })).toThrow(TypeError);
    expect(() => Object.assign(fees.schedule.imbalancePenalty?.[0] ?? {}, [5n])).toThrow(TypeError);
  });
});
