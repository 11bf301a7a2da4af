/** A signature that was given for one thing must be worthless for every other. */
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/basics/hex.ts';
import {
  balanceProofDigest,
  closingDigest,
  updateDigest,
} from '../../../src/protocol/channel/balance-proof.ts';
import { DEFAULT_FEE_TERMS, scheduleOf } from '../../../src/protocol/fees/fee-terms.ts';
import { signingDigest } from '../../../src/protocol/messages/message-hash.ts';
import { iouDigest, iouQueryDigest } from '../../../src/protocol/services/iou.ts';
import {
  capacityUpdateDigest,
  feeUpdateDigest,
} from '../../../src/protocol/services/pfs-update.ts';
import { rewardProofDigest } from '../../../src/protocol/services/reward-proof.ts';
import { recover, sign } from '../../../src/signer/ecdsa.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import { hashOf, NETWORK, PARTNER, SIGNATURE } from '../../support/makers.ts';

const KEY = fromHex(hashOf(1));
const OWN = createSigner(KEY).address;

// Wherever two of them have a field of the same kind, it has the same value here.
const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
const proof = { ...place, balanceHash: hashOf(2), nonce: 1n, additionalHash: hashOf(2) };
const numbered = { messageId: 1n };
const withdraw = { participant: OWN, totalWithdraw: 1n, expiration: 1n, nonce: 1n };
const iou = { oneToN: NETWORK, chainId: 1n, sender: OWN, receiver: PARTNER, amount: 1n };
const reward = { monitoringService: NETWORK, chainId: 1n, tokenNetwork: NETWORK };
const update = { ...place, updatingParticipant: OWN, otherParticipant: PARTNER };
const numbers = { updatingNonce: 1n, otherNonce: 1n, updatingCapacity: 1n, otherCapacity: 1n };
const schedule = scheduleOf(DEFAULT_FEE_TERMS, 1n);

const DIGESTS: Record<string, Uint8Array> = {
  'balance proof': balanceProofDigest(proof),
  'close with a balance proof': closingDigest(proof, SIGNATURE),
  'update with a balance proof': updateDigest(proof, SIGNATURE),
  withdraw: signingDigest({ type: 'WithdrawConfirmation', ...place, ...numbered, ...withdraw }),
  iou: iouDigest({ ...iou, claimableUntil: 1n }),
  'question for an iou': iouQueryDigest(OWN, PARTNER, '1'),
  reward: rewardProofDigest({
    ...reward,
    nonClosingParticipant: OWN,
    nonClosingSignature: SIGNATURE,
    rewardAmount: 1n,
  }),
  'capacity update': capacityUpdateDigest({ ...update, ...numbers, revealTimeout: 1n }),
  'fee update': feeUpdateDigest({
    ...place,
    updatingParticipant: OWN,
    schedule,
    timestamp: '2026-01-01T00:00:00.000000',
  }),
};

describe('a signature', () => {
  it.each(Object.keys(DIGESTS))('for a %s is one for nothing else', (kind) => {
    const signature = sign(DIGESTS[kind] ?? new Uint8Array(), KEY);
    const accepted = Object.entries(DIGESTS).filter(([, other]) => {
      return recover(other, signature) === OWN;
    });
    expect(accepted.map(([name]) => name)).toEqual([kind]);
  });
});
