/** What people ask of their nodes: payments along the line, and commands to one of its channels. */
import type { Delivery } from '../../src/node/turn.ts';
import type { FeeTerms } from '../../src/protocol/fee-terms.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Address, Secret } from '../../src/protocol/hex.ts';
import type { Action, Payment, Where, Who } from './actions.ts';
import type { Chain } from './chain.ts';
import { NETWORK, TOKEN } from './contract.ts';
import type { End } from './end.ts';

type Options = {
  /** What the mediators charge. */
  fees: FeeTerms;
  chain: Pick<Chain, 'contract'>;
  /** The end of the line. */
  last: Who;
  ownerOf(who: Who): Address;
  endOf(who: Who): End;
  actorOf(channelId: bigint): string;
  channelAt(where: Where): bigint;
  drawId(): bigint;
};

export function createOrders(options: Options) {
  const { fees, chain, last, ownerOf, endOf, actorOf, channelAt, drawId } = options;
  const payments: Payment[] = [];
  const asked: { by: Who; requestId: string }[] = [];
  let requests = 0;
  let lastOrder: Delivery | null = null;

  function pay({ by, to = by === 0 ? last : 0, amount, blocks }: Extract<Action, { do: 'pay' }>) {
    if (to === by) return;
    const secret: Secret = `0x${(payments.length + 1).toString(16).padStart(64, '0')}`;
    const secrethash = secrethashOf(secret);
    const step = Math.sign(to - by);
    const route = Array.from({ length: Math.abs(to - by) + 1 }, (_, n) => ownerOf(by + n * step));
    // What the mediators are promised: the flat fee, which they take in two halves.
    const paid = BigInt(amount) + fees.flat * BigInt(route.length - 2);
    const id = `initiator:${secrethash}`;
    const payment = {
      ...{ token: TOKEN, tokenNetwork: NETWORK, target: ownerOf(to), amount: BigInt(amount) },
      ...{ paymentId: BigInt(payments.length + 1), secret, secrethash, route, lockAmount: paid },
      channel: actorOf(channelAt({ by, side: step > 0 ? 1 : 0 })),
      partner: ownerOf(by + step),
      lockTimeout: blocks === 0 ? null : BigInt(blocks),
      ...{ requestId: id, attempt: 1, alternatives: [] },
    };
    endOf(by).alive((process) => {
      payments.push({ by, to, amount: BigInt(amount), paid, secret, secrethash });
      lastOrder = { to: 'node', event: { type: 'cmd.pay', requestId: id, id, payment } };
      process.deliver(lastOrder);
    });
  }

  function ask(where: Where, event: { type: string } & Record<string, unknown>) {
    const requestId = `request:${++requests}`;
    const channel = actorOf(channelAt(where));
    endOf(where.by).alive((process) => {
      if (!process.actors.has(channel)) return;
      asked.push({ by: where.by, requestId });
      process.deliver({ to: channel, event: { ...event, requestId } });
    });
  }

  function deposit(where: Where, amount: number) {
    const wide = { participantLimit: 500n, networkRoom: 500n, ownTokens: 500n };
    const contract = chain.contract(channelAt(where));
    const totalDeposit = contract.depositOf(ownerOf(where.by)) + BigInt(amount);
    ask(where, { type: 'cmd.deposit', totalDeposit, limits: wide });
  }

  function withdraw(where: Where, amount: number) {
    const contract = chain.contract(channelAt(where));
    const totalWithdraw = contract.withdrawnOf(ownerOf(where.by)) + BigInt(amount);
    const facts = { messageId: drawId(), isPartnerThere: true, canPayGas: true };
    ask(where, { type: 'cmd.withdraw', totalWithdraw, ...facts });
  }

  return {
    payments,
    /** Commands to a channel that reached a living process. */
    asked,
    pay,
    ask,
    deposit,
    withdraw,
    /** The last payment is asked for once more, by the same end. */
    again(by: Who) {
      const order = lastOrder;
      if (order !== null) endOf(by).alive((process) => process.deliver(order));
    },
  };
}
