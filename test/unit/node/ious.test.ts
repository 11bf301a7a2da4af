import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/basics/hex.ts';
import { createIous, iouJson } from '../../../src/node/routing/ious.ts';
import { iouDigest, iouQueryDigest } from '../../../src/protocol/services/iou.ts';
import { recover } from '../../../src/signer/ecdsa.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import { PARTNER, STRANGER } from '../../support/makers.ts';
import { openedStore } from '../../support/store.ts';

const signer = createSigner(new Uint8Array(32).fill(1));
const thief = createSigner(new Uint8Array(32).fill(2));
const TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const ONE_TO_N = STRANGER;
const RECEIVER = PARTNER;
const payee = { receiver: RECEIVER, nowBlock: 1_000n };

function iousOf(store = openedStore(), parts: { oneToN?: typeof ONE_TO_N } = {}) {
  const facts = { own: signer.address, chainId: 1n, oneToN: ONE_TO_N, ...parts };
  const { sign } = signer;
  return createIous({ ...facts, sign, recover, rows: store.iouSessions, now: () => TIME });
}

/** What a service could say was our last promise. */
function last(amount: bigint, claimableUntil: bigint, by = signer, sender = by.address) {
  const facts = { oneToN: ONE_TO_N, chainId: 1n, sender, receiver: RECEIVER };
  const iou = { ...facts, amount, claimableUntil };
  const signature = by.sign(iouDigest(iou));
  return { status: 200, body: { last_iou: iouJson({ ...iou, signature }) } };
}

describe('the promises to a path-finding service', () => {
  it('begin with the price and grow by it, in one session', () => {
    const ious = iousOf();
    const [first, second] = [ious.next(payee, 5n), ious.next({ ...payee, nowBlock: 2_000n }, 7n)];
    expect([first.amount, second.amount]).toEqual([5n, 12n]);
    expect([first.claimableUntil, second.claimableUntil]).toEqual([201_000n, 201_000n]);
  });

  it('are signed as the contract wants it', () => {
    const { signature, ...iou } = iousOf().next(payee, 5n);
    expect(iou).toMatchObject({ sender: signer.address, receiver: RECEIVER, oneToN: ONE_TO_N });
    expect(recover(iouDigest(iou), fromHex(signature))).toBe(signer.address);
  });

  it('are on disk before they are out, and go on from there after a restart', () => {
    const store = openedStore();
    iousOf(store).next(payee, 5n);
    expect(store.iouSessions.get({ receiver: RECEIVER, oneToN: ONE_TO_N })?.amount).toBe(5n);
    const again = iousOf(store).next(payee, 5n);
    expect([again.amount, again.claimableUntil]).toEqual([10n, 201_000n]);
  });

  it('are kept apart by receiver and by contract', () => {
    const store = openedStore();
    iousOf(store).next(payee, 5n);
    expect(iousOf(store).next({ ...payee, receiver: STRANGER }, 5n).amount).toBe(5n);
    expect(iousOf(store, { oneToN: PARTNER }).next(payee, 5n).amount).toBe(5n);
  });

  it('replace the one that was too low instead of adding to it', () => {
    const ious = iousOf();
    ious.next(payee, 5n);
    ious.next(payee, 5n);
    expect(ious.next(payee, 8n, 5n).amount).toBe(13n);
  });

  it('never go down, however the price falls', () => {
    const ious = iousOf();
    ious.next(payee, 5n);
    expect(ious.next(payee, 3n, 5n).amount).toBe(5n);
  });

  it('begin a new session when the old one has run out or was claimed', () => {
    const ious = iousOf();
    ious.next(payee, 5n);
    const late = ious.next({ ...payee, nowBlock: 201_000n }, 5n);
    expect([late.amount, late.claimableUntil]).toEqual([5n, 401_000n]);
    ious.renew({ ...payee, nowBlock: 201_000n });
    const renewed = ious.next({ ...payee, nowBlock: 201_000n }, 5n);
    // With the same last block it would be the session that was claimed.
    expect([renewed.amount, renewed.claimableUntil]).toEqual([5n, 401_001n]);
  });
});

describe('what the service says that was promised last', () => {
  it('is asked for with a signature over the time', () => {
    const query = new URLSearchParams(iousOf().query(RECEIVER));
    const timestamp = query.get('timestamp') ?? '';
    expect(timestamp).toBe('2026-01-02T03:04:05.006');
    const signature = Buffer.from((query.get('signature') ?? '').slice(2), 'hex');
    const digest = iouQueryDigest(signer.address, RECEIVER, timestamp);
    expect(recover(digest, signature)).toBe(signer.address);
  });

  it('is taken up when this database does not know it', () => {
    const ious = iousOf();
    expect(ious.isNew(RECEIVER)).toBe(true);
    ious.adopt(RECEIVER, last(40n, 150_000n));
    expect(ious.isNew(RECEIVER)).toBe(false);
    const next = ious.next(payee, 5n);
    expect([next.amount, next.claimableUntil]).toEqual([45n, 150_000n]);
  });

  it.each([
    ['signed by somebody else', last(40n, 150_000n, thief)],
    ['signed by somebody else in our name', last(40n, 150_000n, thief, signer.address)],
    ['nothing', { status: 404, body: { last_iou: null } }],
    ['no answer', null],
  ])('is nothing to go by when it is %s', (_, answer) => {
    const ious = iousOf();
    ious.adopt(RECEIVER, answer);
    expect(ious.isNew(RECEIVER)).toBe(true);
  });

  it('does not lower what was promised in the same session', () => {
    const ious = iousOf();
    ious.next(payee, 50n);
    ious.adopt(RECEIVER, last(40n, 201_000n));
    expect(ious.next(payee, 5n).amount).toBe(55n);
  });
});
