/** Asks the node for what an order says, until it is known what became of it. */
import { type Client, type ClientOptions, createClient } from '../../client/api.ts';
import { type CallOptions, type ClientAnswer, insist } from '../../client/insist.ts';
import type { OrderAnswer, WalletOrder } from './order.ts';

/** A payment waits for its target, the rest for blocks; after that the person is told, and may ask again. */
const PAYMENT_MS = 120_000;
const CHAIN_MS = 1_800_000;

export async function performOrder(
  url: string,
  options: ClientOptions,
  order: WalletOrder,
  key: string,
): Promise<OrderAnswer> {
  const client = createClient(url, options);
  const timeoutMs = order.kind === 'pay' ? PAYMENT_MS : CHAIN_MS;
  const told = await insist(
    { key, timeoutMs },
    (call) => callOf(client, order, call),
    (answer) => (answer.status < 300 ? answer.text() : null),
  );
  return told.ok ? { ok: true } : told;
}

function callOf(client: Client, order: WalletOrder, call: CallOptions): Promise<ClientAnswer> {
  const { channels, payments, user_deposit: deposit } = client;
  switch (order.kind) {
    case 'pay': {
      const { token, target, amount, identifier } = order;
      const tag = identifier === null ? {} : { identifier };
      const param = { token, partner: target };
      return payments[':token'][':partner'].$post({ param, json: { amount, ...tag } }, call);
    }
    case 'open':
      return channels.$put({ json: openingOf(order) }, call);
    case 'deposit':
    case 'withdraw':
    case 'close': {
      const { token, partner } = order;
      const param = { token, partner };
      return channels[':token'][':partner'].$patch({ param, json: changeOf(order) }, call);
    }
    case 'userDeposit':
      return deposit.$post({ json: { total_deposit: order.total } }, call);
    case 'userDepositPlan':
      return deposit.$post({ json: { planned_withdraw_amount: order.amount } }, call);
    case 'userDepositWithdraw':
      return deposit.$post({ json: { withdraw_amount: order.amount } }, call);
  }
}

type Opening = Extract<WalletOrder, { kind: 'open' }>;
const openingOf = ({ token, partner, deposit, settleTimeout }: Opening) => ({
  token_address: token,
  partner_address: partner,
  total_deposit: deposit,
  settle_timeout: settleTimeout,
});

/** What an order changes in a channel that is there. */
function changeOf(order: Extract<WalletOrder, { kind: 'deposit' | 'withdraw' | 'close' }>) {
  if (order.kind === 'close') return { state: 'closed' as const };
  const { kind, total } = order;
  return kind === 'deposit' ? { total_deposit: total } : { total_withdraw: total };
}
