/** Arbitrary well-formed messages, for properties that hold for all of them. */
import fc from 'fast-check';
import { MAX_UINT64, MAX_UINT256 } from '../../../src/basics/amount.ts';
import { type Address, type Hex, parseAddress, toHex, ZERO_HASH } from '../../../src/basics/hex.ts';
import { timestampOf } from '../../../src/node/messaging/timestamp.ts';
import { EMPTY_SIGNATURE } from '../../../src/protocol/channel/balance-proof.ts';
import type { PenaltyCurve } from '../../../src/protocol/fees/fee-curve.ts';
import type { Change } from '../../../src/protocol/messages/changes.ts';
import {
  type LaterField,
  MAX_LATER_BYTES,
  MAX_LATER_FIELDS,
} from '../../../src/protocol/messages/later.ts';
import type { Sync } from '../../../src/protocol/messages/sync.ts';
import type { Message } from '../../../src/protocol/messages/table.ts';
import type { ServiceMessage } from '../../../src/protocol/services/service-message-types.ts';
import { canonicalJson } from '../../support/canonical-json.ts';

function bytesOf(length: number): fc.Arbitrary<Hex> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);
}

const uint64 = fc.bigInt({ min: 0n, max: MAX_UINT64 });
const nonce = fc.bigInt({ min: 1n, max: MAX_UINT64 });
const uint256 = fc.bigInt({ min: 0n, max: MAX_UINT256 });
const bytes32 = bytesOf(32);
const address: fc.Arbitrary<Address> = bytesOf(20).map((hex) => parseAddress(hex) ?? hex);

export const anySignature = fc
  .tuple(bytesOf(64), fc.constantFrom('1b', '1c'))
  .map(([body, recovery]): Hex => `0x${body.slice(2)}${recovery}`);

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const metadata = fc
  .record(
    {
      routes: fc.array(fc.record({ route: fc.array(bytesOf(20), { maxLength: 4 }) }), {
        maxLength: 3,
      }),
      secret: bytesOf(113),
      extra: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))),
    },
    { requiredKeys: ['routes'] },
  )
  // The one name that is refused wherever it stands.
  .filter(({ extra }) => extra === undefined || !Object.hasOwn(extra, '__proto__'))
  .map(canonicalJson);

const channel = {
  messageId: uint64,
  chainId: uint256,
  tokenNetwork: address,
  channelId: fc.bigInt({ min: 1n, max: MAX_UINT256 }),
};
const envelope = {
  ...channel,
  nonce,
  transferredAmount: uint256,
  lockedAmount: uint256,
  locksroot: bytes32,
};
const transfer = {
  paymentId: uint64,
  token: address,
  recipient: address,
  target: address,
  initiator: address,
  lock: fc.record({ amount: uint256, expiration: uint256, secrethash: bytes32 }),
  metadata,
};
const withdraw = {
  ...channel,
  participant: address,
  totalWithdraw: uint256,
  nonce,
  expiration: uint256,
};

const sync: fc.Arbitrary<Sync> = fc
  .record({
    type: fc.constant('Sync' as const),
    ...channel,
    signedNonce: uint64,
    acceptedNonce: nonce,
    balanceHash: bytes32,
    additionalHash: bytes32,
    proofSignature: anySignature,
    answer: fc.boolean(),
  })
  .chain((full) => fc.constantFrom(full, { ...full, ...NOTHING_ACCEPTED }));

const NOTHING_ACCEPTED = {
  acceptedNonce: 0n,
  balanceHash: ZERO_HASH,
  additionalHash: ZERO_HASH,
  proofSignature: EMPTY_SIGNATURE,
};

function of<T extends Message['type'] | Change['type']>(type: T) {
  return { type: fc.constant(type) };
}

/** Later fields with odd numbers, ascending, within their bounds. */
export const anyLater: fc.Arbitrary<LaterField[]> = fc
  .uniqueArray(fc.nat({ max: 0x7fff }), { minLength: 1, maxLength: MAX_LATER_FIELDS })
  .chain((halves) => {
    const numbers = halves.toSorted((a, b) => a - b).map((half) => 2 * half + 1);
    const maxLength = Math.floor(MAX_LATER_BYTES / numbers.length);
    const content = fc.uint8Array({ maxLength }).map(toHex);
    return fc.tuple(...numbers.map((number) => content.map((one) => ({ number, content: one }))));
  });

/** With later fields, now and then. */
function withLater<T extends object>(
  any: fc.Arbitrary<T>,
): fc.Arbitrary<T & { later?: readonly LaterField[] }> {
  return fc.oneof(
    { weight: 3, arbitrary: any },
    fc.tuple(any, anyLater).map(([value, later]) => ({ ...value, later })),
  );
}

export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  withLater(fc.record({ ...of('lock'), ...transfer })),
  withLater(fc.record({ ...of('refund'), ...transfer })),
  withLater(fc.record({ ...of('unlock'), paymentId: uint64, secret: bytes32 })),
  withLater(fc.record({ ...of('expired'), secrethash: bytes32, recipient: address })),
);

export const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  withLater(
    fc.record({
      ...of('Update'),
      ...envelope,
      changes: fc.array(anyChange, { minLength: 1, maxLength: 6 }),
    }),
  ),
  fc.record({ ...of('Delivered'), deliveredMessageId: uint64 }),
  fc.record({ ...of('Processed'), messageId: uint64 }),
  fc.record({
    ...of('SecretRequest'),
    messageId: uint64,
    paymentId: uint64,
    secrethash: bytes32,
    token: address,
    amount: uint256,
    expiration: uint256,
  }),
  fc.record({ ...of('RevealSecret'), messageId: uint64, secret: bytes32 }),
  fc.record({ ...of('WithdrawRequest'), ...withdraw, coopSettle: fc.boolean() }),
  fc.record({ ...of('WithdrawConfirmation'), ...withdraw }),
  fc.record({ ...of('WithdrawExpired'), ...withdraw }),
  sync,
);

const canonical = {
  chainId: uint256,
  tokenNetwork: address,
  channelId: fc.bigInt({ min: 1n, max: MAX_UINT256 }),
};
const penaltyCurve: fc.Arbitrary<PenaltyCurve> = fc
  .uniqueArray(uint256, { minLength: 2, maxLength: 25 })
  .chain((balances) => {
    const ascending = balances.toSorted((a, b) => (a < b ? -1 : 1));
    return fc.tuple(...ascending.map((balance) => uint256.map((y) => [balance, y] as const)));
  });
const timestamp = fc
  .tuple(fc.nat({ max: 4_102_444_800 }), fc.constantFrom('', '.5', '.803', '.803447'))
  .map(([seconds, fraction]) => timestampOf(seconds * 1_000).slice(0, 19) + fraction);

/** Arbitrary well-formed messages to services. */
export const anyServiceMessage: fc.Arbitrary<ServiceMessage> = fc.oneof(
  fc.record({
    type: fc.constant('PFSCapacityUpdate' as const),
    ...canonical,
    updatingParticipant: address,
    otherParticipant: address,
    updatingNonce: uint64,
    otherNonce: uint64,
    updatingCapacity: uint256,
    otherCapacity: uint256,
    revealTimeout: uint256,
  }),
  fc.record({
    type: fc.constant('PFSFeeUpdate' as const),
    ...canonical,
    updatingParticipant: address,
    schedule: fc.record({
      capFees: fc.boolean(),
      flat: uint256,
      proportional: uint256,
      imbalancePenalty: fc.option(penaltyCurve),
    }),
    timestamp,
  }),
  fc.record({
    type: fc.constant('RequestMonitoring' as const),
    proof: fc.record({ ...canonical, nonce, balanceHash: bytes32, additionalHash: bytes32 }),
    proofSignature: anySignature,
    nonClosingParticipant: address,
    nonClosingSignature: anySignature,
    rewardAmount: uint256,
    monitoringService: address,
  }),
);
