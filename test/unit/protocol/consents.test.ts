import { concatHex, hashMessage, keccak256, recoverAddress, stringToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { type Hex, toHex, ZERO_HASH } from '../../../src/basics/hex.ts';
import {
  type BalanceProof,
  balanceHash,
  balanceProofDigest,
  closingDigest,
  EMPTY_SIGNATURE,
  packBalanceProof,
  packClosing,
  packUpdate,
  updateDigest,
} from '../../../src/protocol/channel/balance-proof.ts';
import {
  encodeLock,
  encodeLocks,
  type Lock,
  locksroot,
  NO_LOCKS_ROOT,
} from '../../../src/protocol/channel/lock.ts';
import { participantsHash, unlockIdentifier } from '../../../src/protocol/channel/participants.ts';
import { packWithdraw, withdrawDigest } from '../../../src/protocol/channel/withdraw.ts';
import {
  type Iou,
  iouDigest,
  iouQueryDigest,
  iouSessionKey,
  packIou,
} from '../../../src/protocol/services/iou.ts';
import { packRewardProof, rewardProofDigest } from '../../../src/protocol/services/reward-proof.ts';
import vectors from '../../vectors.json' with { type: 'json' };
import { addressOf, parseBytes32, signatureOf } from './support.ts';

type LockRow = { amount: string | number; expiration: string | number; secrethash: string };

function lockOf({ amount, expiration, secrethash }: LockRow): Lock {
  return {
    amount: BigInt(amount),
    expiration: BigInt(expiration),
    secrethash: parseBytes32(secrethash),
  };
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}

async function signerOf(digest: Uint8Array, signature: Hex) {
  return await recoverAddress({ hash: toHex(digest), signature });
}

describe('locks', () => {
  it.each(vectors.locks.cases)('encodes and commits to locks with root $locksroot', (row) => {
    const locks = row.locks.map(lockOf);
    expect(toHex(encodeLocks(locks))).toBe(row.encoded);
    expect(locksroot(locks)).toBe(row.locksroot);
    expect(Buffer.concat(locks.map(encodeLock))).toEqual(Buffer.from(encodeLocks(locks)));
  });

  it.each(vectors.locks.oracle_cases)('commits to the locks of root $locksroot', (row) => {
    expect(locksroot(row.locks.map(lockOf))).toBe(row.locksroot);
  });

  it('has a root for no locks', () => {
    expect(NO_LOCKS_ROOT).toBe(vectors.constants.LOCKSROOT_OF_NO_LOCKS);
  });
});

describe('balance hash', () => {
  it.each(vectors.balance_hash.cases)('is $balance_hash', (row) => {
    const balances = {
      transferredAmount: BigInt(row.transferred_amount),
      lockedAmount: BigInt(row.locked_amount),
      locksroot: parseBytes32(row.locksroot),
    };
    expect(balanceHash(balances)).toBe(row.balance_hash);
  });

  it('is zero only when nothing was transferred and nothing is locked', () => {
    const nothing = { transferredAmount: 0n, lockedAmount: 0n, locksroot: NO_LOCKS_ROOT };
    expect(balanceHash(nothing)).toBe(ZERO_HASH);
    expect(balanceHash({ ...nothing, transferredAmount: 1n })).not.toBe(ZERO_HASH);
    expect(balanceHash({ ...nothing, lockedAmount: 1n })).not.toBe(ZERO_HASH);
    expect(balanceHash({ ...nothing, locksroot: ZERO_HASH })).not.toBe(ZERO_HASH);
  });
});

const monitoring = vectors.messages.cases.flatMap(({ name, packed, signer, json, ...row }) => {
  const { balance_proof: proof, non_closing_signature: update } = json;
  const { inner_balance_proof: inner, non_closing: nonClosing } = row;
  return proof && inner && update && nonClosing
    ? [{ name, packed, signer, json, proof, inner, update, nonClosing }]
    : [];
});

describe('balance proofs and their counter-signatures', () => {
  it('has two vectors', () => expect(monitoring).toHaveLength(2));

  it.each(monitoring)('packs and recovers the three parts of $name', async (row) => {
    const proof: BalanceProof = {
      chainId: BigInt(row.proof.chain_id),
      tokenNetwork: addressOf(row.proof.token_network_address),
      channelId: BigInt(row.proof.channel_identifier),
      balanceHash: parseBytes32(row.proof.balance_hash),
      nonce: BigInt(row.proof.nonce),
      additionalHash: parseBytes32(row.proof.additional_hash),
    };
    const partner = signatureOf(row.proof.signature);
    const update = signatureOf(row.update);
    expect(toHex(packBalanceProof(proof))).toBe(row.inner.packed.toLowerCase());
    expect(await signerOf(balanceProofDigest(proof), partner)).toBe(row.inner.signer);
    expect(toHex(packUpdate(proof, partner))).toBe(row.nonClosing.packed.toLowerCase());
    expect(await signerOf(updateDigest(proof, partner), update)).toBe(row.nonClosing.signer);
    const reward = {
      monitoringService: addressOf(row.json.monitoring_service_contract_address ?? ''),
      chainId: proof.chainId,
      tokenNetwork: proof.tokenNetwork,
      nonClosingParticipant: addressOf(row.json.non_closing_participant ?? ''),
      nonClosingSignature: update,
      rewardAmount: BigInt(row.json.reward_amount ?? ''),
    };
    expect(toHex(packRewardProof(reward))).toBe(row.packed.toLowerCase());
    const signature = signatureOf(row.json.signature);
    expect(await signerOf(rewardProofDigest(reward), signature)).toBe(row.signer);
  });

  it('packs a closing without a balance proof in 277 bytes of type 1', async () => {
    const none: BalanceProof = {
      chainId: 31337n,
      tokenNetwork: addressOf(vectors.cooperative_settle.token_network_address),
      channelId: 1n,
      balanceHash: ZERO_HASH,
      nonce: 0n,
      additionalHash: ZERO_HASH,
    };
    const packed = packClosing(none, EMPTY_SIGNATURE);
    expect(packed).toHaveLength(277);
    expect(Buffer.from(packed.subarray(0, 212))).toEqual(Buffer.from(packBalanceProof(none)));
    expect(packed.subarray(212).every((byte) => byte === 0)).toBe(true);
    expect(packed[83]).toBe(1);
    expect(packUpdate(none, EMPTY_SIGNATURE)[83]).toBe(2);
    expect(toHex(closingDigest(none, EMPTY_SIGNATURE))).not.toBe(
      toHex(updateDigest(none, EMPTY_SIGNATURE)),
    );
  });
});

describe('withdraws', () => {
  const { data1, data2, ...channel } = vectors.cooperative_settle;
  it.each([
    [data1, data2],
    [data2, data1],
  ])('packs the consent to a cooperative settle', async (data, other) => {
    const withdraw = {
      chainId: BigInt(channel.chain_id),
      tokenNetwork: addressOf(channel.token_network_address),
      channelId: BigInt(channel.channel_identifier),
      participant: addressOf(data.participant),
      totalWithdraw: BigInt(data.total_withdraw),
      expiration: BigInt(data.expiration),
    };
    expect(toHex(packWithdraw(withdraw))).toBe(data.packed.toLowerCase());
    const digest = withdrawDigest(withdraw);
    expect(await signerOf(digest, signatureOf(data.participant_signature))).toBe(data.participant);
    expect(await signerOf(digest, signatureOf(data.partner_signature))).toBe(other.participant);
  });
});

describe('IOUs', () => {
  const { fields } = vectors.iou;
  const iou: Iou = {
    oneToN: addressOf(fields.one_to_n_address),
    chainId: BigInt(fields.chain_id),
    sender: addressOf(fields.sender),
    receiver: addressOf(fields.receiver),
    amount: BigInt(fields.amount),
    claimableUntil: BigInt(fields.claimable_until),
  };

  it('packs what the sender signs', async () => {
    expect(toHex(packIou(iou))).toBe(vectors.iou.packed.toLowerCase());
    expect(toHex(iouDigest(iou))).toBe(vectors.iou.eip191_hash);
    const signer = await signerOf(iouDigest(iou), signatureOf(vectors.iou.signature));
    expect(signer).toBe(fields.sender);
  });

  it('names the session as the contract does', () => {
    expect(iouSessionKey(iou)).toBe(vectors.iou.session_key);
  });

  it('asks for the last IOU with both addresses and the text of the moment', () => {
    const moment = '2021-05-18T14:23:14.803447';
    const raw = concatHex([iou.sender, iou.receiver, stringToHex(moment)]);
    expect(toHex(iouQueryDigest(iou.sender, iou.receiver, moment))).toBe(hashMessage({ raw }));
  });
});

describe('participants', () => {
  it.each(vectors.participants_hash.cases)('names the pair of $a and $b', (row) => {
    const [a, b] = [addressOf(row.a), addressOf(row.b)];
    expect(participantsHash(a, b)).toBe(row.participants_hash);
    expect(participantsHash(b, a)).toBe(row.participants_hash);
    expect(unlockIdentifier(1n, a, b)).toBe(row.unlock_identifier_channel_1_sender_a_receiver_b);
  });

  it('orders a pair by number, whatever the case of its letters', () => {
    const [a, b] = [addressOf(`0x${'ab'.repeat(20)}`), addressOf(`0x${'bc'.repeat(20)}`)];
    const pairs = [a, a.toLowerCase()].flatMap((one) =>
      [b, b.toLowerCase()].map((two) => [asHex(one), asHex(two)] as const),
    );
    const hash = keccak256(concatHex([a, b]));
    for (const [one, two] of pairs) {
      expect([participantsHash(one, two), participantsHash(two, one)]).toEqual([hash, hash]);
    }
  });
});
