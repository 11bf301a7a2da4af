/** The shapes of stored contexts: what was read from disk is checked before an actor lives on it. */
import * as v from 'valibot';
import type { ChannelContext } from '../../../machines/channel/context.ts';
import type { InitiatorContext } from '../../../machines/initiator/context.ts';
import type { KeeperContext } from '../../../machines/keeper/chart.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { NodeContext } from '../../../machines/node/chart.ts';
import type { TargetContext } from '../../../machines/target/chart.ts';
import type { TokenNetworkContext } from '../../../machines/token-network/context.ts';
import type { UserDepositContext } from '../../../machines/user-deposit/chart.ts';
import type { WithdrawalContext } from '../../../machines/user-deposit/withdrawal.ts';
import { CODES } from '../../protocol/codes.ts';
import type { Hex } from '../../protocol/hex.ts';

const hex = v.custom<Hex>((value) => typeof value === 'string' && value.startsWith('0x'));
const uint = v.pipe(v.bigint(), v.minValue(0n));
const optionalUint = v.nullable(uint);
const text = v.string();
const count = v.number();

const lock = v.object({ amount: uint, expiration: uint, secrethash: hex });
const withdraw = { totalWithdraw: uint, expiration: uint };
const end = v.object({
  deposit: uint,
  withdrawn: uint,
  withdraws: v.array(v.object(withdraw)),
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
  forwarded: v.array(v.object({ secrethash: hex, payer: hex })),
  registered: v.array(hex),
  deposit: v.nullable(v.object({ requestId: text, key: text, totalDeposit: uint })),
  withdraw: v.nullable(
    v.object({
      ...withdraw,
      waiting: v.array(text),
      job: v.nullable(text),
      failure: v.nullable(v.object({ code: v.picklist(CODES), detail: text })),
    }),
  ),
  requests: v.array(
    v.object({ ...withdraw, nonce: uint, messageId: uint, isAnswered: v.boolean() }),
  ),
  consents: v.array(v.object({ ...withdraw, nonce: uint })),
  consentHorizon: uint,
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

const failure = v.nullable(v.object({ code: v.picklist(CODES), detail: text }));
const offer = v.nullable(
  v.object({
    channel: text,
    channelId: uint,
    partner: hex,
    openBlock: uint,
    ownDeposit: uint,
    partnerDeposit: uint,
  }),
);
const connection = v.object({
  number: count,
  share: uint,
  free: uint,
  sinceBlock: uint,
  own: v.array(text),
});
const match = v.object({
  key: text,
  number: count,
  channel: text,
  added: uint,
  totalDeposit: uint,
  offer,
});
const joining = v.object({
  requestIds: v.array(text),
  funds: uint,
  number: count,
  opened: v.array(text),
  failure,
});
const leaving = v.object({
  requestIds: v.array(text),
  channels: v.array(
    v.object({ channel: text, state: v.picklist(['asked', 'again', 'closed']), tries: count }),
  ),
  settled: v.array(
    v.object({
      channel: text,
      channelId: uint,
      partner: hex,
      balance: v.bigint(),
      totalDeposit: uint,
      totalWithdraw: uint,
      settleTimeout: uint,
      revealTimeout: uint,
    }),
  ),
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
      requestId: v.nullable(text),
      key: text,
      partner: hex,
      totalDeposit: uint,
      revealTimeout: uint,
      channel: v.nullable(text),
      offer,
    }),
  ),
  connection: v.nullable(connection),
  matches: v.array(match),
  join: v.nullable(joining),
  leave: v.nullable(leaving),
  jobs: count,
  wakeBlock: optionalUint,
});

const attempt = {
  secret: hex,
  secrethash: hex,
  channel: text,
  partner: hex,
  route: v.array(hex),
  lockAmount: uint,
};

export const initiatorContext: v.GenericSchema<unknown, InitiatorContext> = v.object({
  id: text,
  own: hex,
  confirmations: uint,
  order: v.object({
    ...attempt,
    token: hex,
    tokenNetwork: hex,
    target: hex,
    amount: uint,
    paymentId: uint,
    lockTimeout: optionalUint,
    requestId: text,
    attempt: count,
    alternatives: v.array(v.object(attempt)),
  }),
  expiration: optionalUint,
  isSpoilt: v.boolean(),
  isRefunded: v.boolean(),
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

export const mediatorContext: v.GenericSchema<unknown, MediatorContext> = v.object({
  id: text,
  confirmations: uint,
  payer: v.object({
    channel: text,
    partner: hex,
    revealTimeout: uint,
    settleTimeout: uint,
    balance: uint,
    receivable: uint,
  }),
  token: hex,
  tokenNetwork: hex,
  paymentId: uint,
  amount: uint,
  secrethash: hex,
  expiration: uint,
  initiator: hex,
  target: hex,
  metadata: text,
  fees: v.object({ flat: uint, proportional: uint, imbalance: uint, capFees: v.boolean() }),
  hops: v.array(hex),
  nowBlock: uint,
  hop: count,
  payee: v.nullable(v.object({ channel: text, partner: hex, amount: uint })),
  secret: v.nullable(hex),
  isRefunded: v.boolean(),
  isPaidIn: v.boolean(),
  isPaidOut: v.boolean(),
  jobs: count,
  payerBlock: optionalUint,
  payeeBlock: optionalUint,
  wakeBlock: optionalUint,
});

export const keeperContext: v.GenericSchema<unknown, KeeperContext> = v.object({
  id: text,
  channel: text,
  side: v.picklist(['own', 'partner']),
  secrethash: hex,
  amount: uint,
  expiration: uint,
  confirmations: uint,
  isUnexplained: v.boolean(),
  isPublic: v.boolean(),
  transfer: v.nullable(
    v.object({
      role: v.picklist(['mediator', 'target']),
      initiator: hex,
      target: hex,
      paymentId: uint,
    }),
  ),
  secret: v.nullable(hex),
  jobs: count,
  wakeBlock: optionalUint,
});

export const userDepositContext: v.GenericSchema<unknown, UserDepositContext> = v.object({
  id: text,
  pending: v.nullable(
    v.object({
      order: v.object({ kind: v.picklist(['deposit', 'plan', 'withdraw']), amount: uint }),
      requestId: text,
    }),
  ),
  plan: v.nullable(v.object({ withdrawal: text, amount: uint, withdrawBlock: uint })),
  withdrawals: count,
  deposits: count,
  changedBlock: uint,
  wakeBlock: v.null(),
});

export const withdrawalContext: v.GenericSchema<unknown, WithdrawalContext> = v.object({
  id: text,
  contract: hex,
  amount: uint,
  withdrawDelay: uint,
  withdrawBlock: optionalUint,
  requestId: v.nullable(text),
  jobs: count,
  wakeBlock: v.null(),
});
