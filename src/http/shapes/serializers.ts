/** Converts answers to the API document's names: all numbers but a planned block are decimal strings. */
import { answerOfLog } from '../../contracts/channel-events.ts';
import type {
  ChannelEvent,
  NodeStatus,
  PaymentResult,
  PendingChannel,
  TokenConnection,
  Transaction,
  WithdrawPlan,
} from '../../node/api/api.ts';
import type { KeptAnswer } from '../../node/api/keyed.ts';
import type { WaitingTransaction } from '../../node/chain/jobs/waiting.ts';
import type { HealthRow } from '../../node/health/check.ts';
import type { ChannelView } from '../../node/runtime/actors/channel-states.ts';
import type { PendingTransfer } from '../../node/runtime/actors/parties.ts';
import type { Notification, PaymentRecord } from '../../node/runtime/commits/records.ts';
import type { ContractAddresses } from '../../node/runtime/parts.ts';
import { redemptionObject, releaseObject } from './x402-answers.ts';

export function statusObject(status: NodeStatus) {
  if (status.status !== 'syncing') return { status: status.status };
  return { status: status.status, blocks_to_sync: String(status.blocksToSync) };
}

export function contractsObject(contracts: ContractAddresses) {
  return {
    contracts_version: contracts.contractsVersion,
    token_network_registry_address: contracts.tokenNetworkRegistryAddress,
    secret_registry_address: contracts.secretRegistryAddress,
    service_registry_address: contracts.serviceRegistryAddress,
    user_deposit_address: contracts.userDepositAddress,
    monitoring_service_address: contracts.monitoringServiceAddress,
    one_to_n_address: contracts.oneToNAddress,
  };
}

export function channelObject(channel: ChannelView) {
  return {
    channel_identifier: String(channel.channelId),
    token_network_address: channel.tokenNetwork,
    partner_address: channel.partner,
    token_address: channel.token,
    balance: String(channel.balance),
    total_deposit: String(channel.totalDeposit),
    total_withdraw: String(channel.totalWithdraw),
    state: channel.state,
    settle_timeout: String(channel.settleTimeout),
    reveal_timeout: String(channel.revealTimeout),
    network_state: channel.networkState,
  };
}

export function paymentObject(payment: PaymentResult) {
  return {
    initiator_address: payment.initiator,
    target_address: payment.target,
    token_address: payment.token,
    amount: String(payment.amount),
    identifier: String(payment.paymentId),
    secret: payment.secret,
    secret_hash: payment.secrethash,
  };
}

/** What an earlier call was answered that succeeded, in the form of its endpoint. */
export function answeredObject(answered: KeptAnswer) {
  switch (answered.kind) {
    case 'channel':
      return channelObject(answered.channel);
    case 'joined':
      return answered.channels.map(channelObject);
    case 'tokenNetwork':
      return { token_network_address: answered.tokenNetwork };
    case 'payment':
      return paymentObject(answered.payment);
    case 'transaction':
    case 'withdrawPlan':
      return transactionObject(answered);
    case 'redemption':
      return redemptionObject(answered);
    case 'release':
      return releaseObject(answered);
  }
}

/** A history row with exactly the fields that the document lists for its kind. */
export function recordObject(record: PaymentRecord) {
  const common = { log_time: logTime(record.time), token_address: record.token };
  switch (record.event) {
    case 'EventPaymentSentSuccess':
      return {
        event: record.event,
        amount: String(record.amount),
        target: record.target,
        identifier: String(record.paymentId),
        ...common,
      };
    case 'EventPaymentSentFailed':
      return { event: record.event, target: record.target, reason: record.reason, ...common };
    case 'EventPaymentReceivedSuccess':
      return {
        event: record.event,
        amount: String(record.amount),
        initiator: record.initiator,
        identifier: String(record.paymentId),
        ...common,
      };
  }
}

/** UTC with milliseconds and without a zone designator, of milliseconds since 1970. */
export function logTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -1);
}

/** The answer for a mined transaction; for a planned withdrawal also the block at which its delay ends. */
export function transactionObject(done: Transaction | WithdrawPlan) {
  if (!('plannedWithdrawBlock' in done)) return { transaction_hash: done.transactionHash };
  return {
    transaction_hash: done.transactionHash,
    // The only number of the API document that is not a string.
    planned_withdraw_block_number: Number(done.plannedWithdrawBlock),
  };
}

/** For each token, what the node deposited into its open channels, and their number. */
export function connectionsObject(connections: readonly TokenConnection[]) {
  return Object.fromEntries(
    connections.map(({ token, sumDeposits, channels }) => [
      token,
      { sum_deposits: String(sumDeposits), channels: String(channels) },
    ]),
  );
}

export function pendingTransferObject(transfer: PendingTransfer) {
  return {
    channel_identifier: String(transfer.channelId),
    initiator: transfer.initiator,
    target: transfer.target,
    locked_amount: String(transfer.lockedAmount),
    transferred_amount: String(transfer.transferredAmount),
    payment_identifier: String(transfer.paymentId),
    role: transfer.role,
    token_address: transfer.token,
    token_network_address: transfer.tokenNetwork,
  };
}

export function pendingChannelObject(pending: PendingChannel) {
  const { token, partner, totalDeposit, revealTimeout } = pending;
  return {
    token_address: token,
    partner_address: partner,
    total_deposit: String(totalDeposit),
    reveal_timeout: String(revealTimeout),
  };
}

export function waitingObject({ type, token, partner, channelId, reason }: WaitingTransaction) {
  return {
    transaction: type.slice('tx.'.length),
    token_address: token,
    partner_address: partner,
    channel_identifier: String(channelId),
    reason,
  };
}

export function healthObject(row: HealthRow) {
  const { id, keeps, isGood, since, urgency, isNeeded, trouble } = row;
  const state =
    isGood === null ? ('unknown' as const) : isGood ? ('good' as const) : ('bad' as const);
  return {
    check: id,
    keeps,
    state,
    since: logTime(since),
    urgency,
    stops_calls: isNeeded,
    summary: trouble?.summary ?? null,
    body: trouble?.body ?? null,
  };
}

export function notificationObject({ id, summary, body, urgency }: Notification) {
  return { id, summary, body, urgency };
}

/** A payment as in the history, or a log under its event name in the contract, each with its block. */
export function channelEventObject(event: ChannelEvent) {
  if (event.type === 'payment') {
    return { ...recordObject(event.record), block_number: String(event.block) };
  }
  return answerOfLog(event.log);
}
