import { describe, expect, it } from 'vitest';
import type { Address } from '../../../../src/basics/hex.ts';
import {
  judge,
  type KnownChannel,
  type MonitoringTerms,
} from '../../../../src/services/monitoring/judge.ts';
import { recover } from '../../../../src/signer/ecdsa.ts';
import { createSigner } from '../../../../src/signer/signer.ts';
import { monitoringRequest, type Wanted } from '../../../support/monitoring-makers.ts';

const signer = (byte: number) => createSigner(new Uint8Array(32).fill(byte));
const owner = signer(1);
const partner = signer(2);
const stranger = signer(3);
const contract: Address = '0x1111111111111111111111111111111111111111';
const other: Address = '0x2222222222222222222222222222222222222222';

const terms: MonitoringTerms = {
  chainId: 5n,
  monitoringService: contract,
  minReward: 80n,
  recover,
};
const request = (part: Partial<Wanted> = {}) =>
  monitoringRequest({
    owner,
    partner,
    chainId: 5n,
    tokenNetwork: other,
    channelId: 3n,
    monitoringService: contract,
    ...part,
  });
const open: NonNullable<KnownChannel['channel']> = {
  participants: [partner.address, owner.address],
  close: null,
};
const judged = (signed: ReturnType<typeof request>, known: Partial<KnownChannel> = {}) =>
  judge(signed, terms, {
    isTokenNetwork: true,
    channel: open,
    nonce: 0n,
    confirmedBlock: 100n,
    ...known,
  });
const refused = (reason: string) => ({ kind: 'refuse', reason });
const kept = { kind: 'keep', partner: partner.address };
const closedAt = (block: bigint, closing = partner.address) => ({
  channel: { ...open, close: { block, closing } },
});

describe('a request to monitor', () => {
  it('is kept when both participants signed what they have to', () => {
    expect(judged(request())).toEqual(kept);
  });

  it('is refused on another chain, for another contract, or for an unknown token network', () => {
    expect(judged(request({ chainId: 6n }))).toEqual(refused('other_chain'));
    expect(judged(request({ monitoringService: other }))).toEqual(refused('other_contract'));
    expect(judged(request(), { isTokenNetwork: false })).toEqual(refused('unknown_token_network'));
  });

  it('must promise the least reward', () => {
    expect(judged(request({ reward: 79n }))).toEqual(refused('reward_too_low'));
    expect(judged(request({ reward: 80n }))).toEqual(kept);
  });

  it('must have a higher nonce than the one that is kept', () => {
    expect(judged(request({ nonce: 7n }), { nonce: 7n })).toEqual(refused('old_nonce'));
    expect(judged(request({ nonce: 6n }), { nonce: 7n })).toEqual(refused('old_nonce'));
    expect(judged(request({ nonce: 8n }), { nonce: 7n })).toEqual(kept);
  });

  it('is refused without a balance, which the contract would not take', () => {
    expect(judged(request({ transferred: 0n }))).toEqual(refused('empty_proof'));
  });

  it.each(['proof', 'update', 'reward'] as const)(
    'is refused when a stranger signed the %s',
    (which) => {
      const signed = request({ signers: { [which]: stranger } });
      expect(judged(signed)).toEqual(refused('wrong_signature'));
    },
  );

  it('is refused when one participant signed for the other', () => {
    expect(judged(request({ signers: { proof: owner } }))).toEqual(refused('wrong_signature'));
    expect(judged(request({ signers: { update: partner } }))).toEqual(refused('wrong_signature'));
    expect(judged(request({ signers: { reward: partner } }))).toEqual(refused('wrong_signature'));
  });

  it('is refused when its reward was signed for another amount', () => {
    const signed = request();
    const message = { ...signed.message, rewardAmount: 81n };
    expect(judged({ ...signed, message })).toEqual(refused('wrong_signature'));
  });

  it('is refused with the balance proof of another nonce under the same promise', () => {
    const signed = request({ nonce: 7n });
    const { proof, proofSignature } = request({ nonce: 6n }).message;
    const message = { ...signed.message, proof, proofSignature };
    expect(judged({ ...signed, message })).toEqual(refused('wrong_signature'));
  });

  it('is refused from somebody who has no part in the channel', () => {
    expect(judged(request({ owner: stranger }))).toEqual(refused('stranger'));
  });

  it('waits when the channel is not known, but only with good signatures', () => {
    expect(judged(request(), { channel: null })).toEqual({
      kind: 'wait',
      partner: partner.address,
    });
    const forged = request({ signers: { update: stranger } });
    expect(judged(forged, { channel: null })).toEqual(refused('wrong_signature'));
  });

  it('is taken until ten confirmed blocks after the close, from the side that did not close', () => {
    expect(judged(request(), closedAt(90n))).toEqual(kept);
    expect(judged(request(), closedAt(89n))).toEqual(refused('closed_long_ago'));
    expect(judged(request(), closedAt(90n, owner.address))).toEqual(refused('closed_by_requester'));
  });
});
