/** The shapes of stored contexts: what was read from disk is checked before an actor lives on it. */
import * as v from 'valibot';
import type { ChannelContext } from '../../machines/channel-context.ts';
import type { InitiatorContext } from '../../machines/initiator.ts';
import type { NodeContext } from '../../machines/node.ts';
import type { TargetContext } from '../../machines/target.ts';
import type { TokenNetworkContext } from '../../machines/token-network.ts';
import type { Hex } from '../protocol/hex.ts';

const hex = v.custom<Hex>((value) => typeof value === 'string' && value.startsWith('0x'));
const uint = v.pipe(v.bigint(), v.minValue(0n));
const optionalUint = v.nullable(uint);
const text = v.string();
const count = v.number();

const lock = v.object({ amount: uint, expiration: uint, secrethash: hex });
const end = v.object({
  deposit: uint,
  withdrawn: uint,
  transferred: uint,
  locked: uint,
  locks: v.array(lock),
  nonce: uint,
});
const proof = v.object({ nonce: uint, balanceHash: hex, additionalHash: hex, signature: hex });

export const channelContext: v.GenericSchema<unknown, ChannelContext> = v.object({
  id: text,
  chainId: uint,
  tokenNetwork: hex,
  channelId: uint,
  token: hex,
  own: hex,
  partner: hex,
  settleTimeout: uint,
  revealTimeout: uint,
  isRevealChosen: v.boolean(),
  minRevealTimeout: uint,
  openBlock: uint,
  confirmations: uint,
  ownEnd: end,
  partnerEnd: end,
  partnerProof: v.nullable(proof),
  registered: v.array(hex),
  deposit: v.nullable(v.object({ requestId: text, key: text, totalDeposit: uint })),
  closeRequest: v.nullable(text),
  dispute: v.nullable(
    v.object({
      closer: hex,
      closeBlock: uint,
      ownHash: v.nullable(hex),
      partnerHash: v.nullable(hex),
    }),
  ),
  unlocks: v.array(v.picklist(['own', 'partner'])),
  jobs: count,
  wakeBlock: optionalUint,
});

export const nodeContext: v.GenericSchema<unknown, NodeContext> = v.object({
  chainId: uint,
  own: hex,
  confirmations: uint,
  defaultRevealTimeout: uint,
  minRevealTimeout: uint,
  tokens: v.array(hex),
  wakeBlock: v.null(),
});

export const tokenNetworkContext: v.GenericSchema<unknown, TokenNetworkContext> = v.object({
  id: text,
  token: hex,
  tokenNetwork: v.nullable(hex),
  requestId: v.nullable(text),
  chainId: uint,
  own: hex,
  confirmations: uint,
  defaultRevealTimeout: uint,
  minRevealTimeout: uint,
  openings: v.array(
    v.object({
      requestId: text,
      key: text,
      partner: hex,
      revealTimeout: uint,
      channel: v.nullable(text),
    }),
  ),
  jobs: count,
  wakeBlock: optionalUint,
});

export const initiatorContext: v.GenericSchema<unknown, InitiatorContext> = v.object({
  id: text,
  own: hex,
  confirmations: uint,
  order: v.object({
    token: hex,
    tokenNetwork: hex,
    target: hex,
    amount: uint,
    paymentId: uint,
    secret: hex,
    secrethash: hex,
    lockTimeout: optionalUint,
    channel: text,
    partner: hex,
    metadata: text,
  }),
  expiration: optionalUint,
  isSpoilt: v.boolean(),
  wakeBlock: optionalUint,
});

export const targetContext: v.GenericSchema<unknown, TargetContext> = v.object({
  id: text,
  own: hex,
  confirmations: uint,
  channel: text,
  payer: hex,
  initiator: hex,
  paymentId: uint,
  amount: uint,
  secrethash: hex,
  expiration: uint,
  revealTimeout: uint,
  token: hex,
  tokenNetwork: hex,
  nowBlock: uint,
  secret: v.nullable(hex),
  jobs: count,
  wakeBlock: optionalUint,
});
