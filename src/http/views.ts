/** Answers in the document's names: all numbers are decimal strings. */
import type {
  ChannelView,
  ContractAddresses,
  NodeStatus,
  PaymentRecord,
  PaymentResult,
} from '../node/api.ts';

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

/** UTC with milliseconds and without a zone designator. */
function logTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -1);
}
