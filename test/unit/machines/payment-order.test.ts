import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../machines/effects.ts';
import { ZERO_ADDRESS, ZERO_HASH } from '../../../src/basics/hex.ts';
import { createPayments } from '../../../src/node/api/payments.ts';
import type { PaymentRequest } from '../../../src/node/routing/usable-routes.ts';
import type { Delivery } from '../../../src/node/runtime/commits/delivery.ts';
import { createQuestions } from '../../../src/node/runtime/commits/questions.ts';
import { createBudgets } from '../../../src/node/runtime/knowledge/budgets.ts';
import { noRoutes } from '../../../src/node/runtime/knowledge/route-finder.ts';
import { MAX_PENDING_LOCKS } from '../../../src/protocol/channel/lock.ts';
import { failure } from '../../../src/protocol/codes.ts';
import { DEFAULT_FEE_TERMS } from '../../../src/protocol/fees/fee-terms.ts';
import { factOf } from '../../support/fact.ts';
import {
  CHANNEL,
  hashOf,
  NETWORK,
  OWN,
  PARTNER,
  STRANGER,
  secretOf,
  TOKEN,
} from '../../support/makers.ts';
import { orderOf } from '../../support/payment-makers.ts';

const SETTINGS = {
  version: '0.0.0-test',
  chainId: 1n,
  contracts: {
    contractsVersion: '0.40.0',
    tokenNetworkRegistryAddress: ZERO_ADDRESS,
    secretRegistryAddress: ZERO_ADDRESS,
    serviceRegistryAddress: null,
    userDepositAddress: null,
    monitoringServiceAddress: null,
    oneToNAddress: null,
  },
  deployBlock: 1n,
  confirmations: 5n,
  defaultSettleTimeout: 500n,
  defaultRevealTimeout: 50n,
  minRevealTimeout: 1n,
  isProduction: false,
  pathfindingServiceAddress: null,
  routingMode: 'local' as const,
  hasRoutingFallback: true,
  fees: { byToken: new Map(), others: DEFAULT_FEE_TERMS },
  monitoringReward: null,
  releaseFeed: null,
  depositLimits: { participantLimit: 1n, networkLimit: 1n },
  pollIntervalMs: 20,
};
/** A node whose public key is not known. */
const UNKNOWN = TOKEN;
const away = async () => failure('chain_unavailable');

/** A node with one channel to PARTNER that carries 100. `registered`: the block of every secret on chain. */
function payments({ registered = 0n, used = [] as string[], locks = 0 } = {}) {
  const delivered: Delivery[] = [];
  const searches: unknown[] = [];
  const recorded: unknown[] = [];
  const questions = createQuestions('test');
  const budgets = createBudgets({ rows: [], write: () => {}, now: () => 0 });
  const orders = createPayments({
    settings: SETTINGS,
    own: OWN,
    calls: { find: () => null },
    questions,
    begin(_, { delivery }) {
      if (delivery !== null) delivered.push(delivery);
      return true;
    },
    tokenNetworkOf: (token) => (token === TOKEN ? NETWORK : null),
    highestChannelId: () => 0n,
    channelOf: (_, partner) => (partner === PARTNER ? CHANNEL : null),
    view: () => null,
    chance: { bytes: (count) => new Uint8Array(count).fill(7) },
    secretRegistry: STRANGER,
    isSecretUsed: (secrethash) => used.includes(secrethash),
    payable: () => 100n,
    takes: () => true,
    locksPending: () => locks,
    payers: () => [{ payable: 100n, ownLocks: locks }],
    canPay: (_, amount) => amount === null || amount <= 100n,
    frozen: () => [],
    isThere: async () => 'reachable',
    networkStateOf: () => 'reachable',
    sealSecret: (to, _, { amount }) => (to === UNKNOWN ? null : `0x${amount}`),
    finder: {
      ...noRoutes,
      find: (asked) => {
        searches.push(asked);
        return noRoutes.find(asked);
      },
    },
    findPartner: async () => 'reachable',
    gasOfChannel: 1n,
    canPayGas: async () => ({ ok: true, value: true }),
    choose() {},
    brokerTrouble: () => null,
    record: (payment) => void recorded.push(payment),
    budgets,
    reads: {
      tokenNetworkOf: away,
      secretRegistryOf: away,
      registryLimits: away,
      newestChannelId: away,
      depositLimits: away,
      tokenFacts: away,
      allowance: async () => 0n,
      approves: async () => true,
      tokenFault: away,
      takingFault: async () => null,
      nativeBalance: away,
      gasPrice: away,
      channelParticipant: away,
      userDeposit: away,
      effectiveDeposit: away,
      mintMethod: away,
      isSecretRegistered: async () => ({ ok: true, value: registered }),
    },
  });
  return {
    orders,
    budgets,
    delivered,
    searches,
    recorded,
    answer: (reply: Reply) => questions.answer(reply),
  };
}

const request = (parts: Partial<PaymentRequest> = {}): PaymentRequest => ({
  token: TOKEN,
  target: PARTNER,
  amount: 10n,
  paymentId: 1n,
  secret: secretOf(1),
  secrethash: null,
  lockTimeout: null,
  routes: null,
  ...parts,
});

describe('a payment order', () => {
  it.each<[string, Partial<PaymentRequest>, string]>([
    ['the zero secret, which everybody knows', { secret: ZERO_HASH }, 'invalid_secret'],
    ['the hash of another secret', { secrethash: hashOf(2) }, 'invalid_secret'],
    ['a hash without its secret', { secret: null, secrethash: hashOf(1) }, 'invalid_secret'],
    ['oneself as target', { target: OWN }, 'invalid_partner'],
    ['nobody as target', { target: ZERO_ADDRESS }, 'invalid_partner'],
    ['nothing to pay', { amount: 0n }, 'invalid_amount'],
    ['more than 256 bits', { amount: 2n ** 256n }, 'invalid_amount'],
    ['the identifier zero', { paymentId: 0n }, 'invalid_identifier'],
    ['an identifier above 64 bits', { paymentId: 2n ** 64n }, 'invalid_identifier'],
    ['more than the channel carries', { amount: 101n }, 'insufficient_balance'],
    ['a target without a channel', { target: STRANGER }, 'no_route'],
    ['a token without a network', { token: STRANGER }, 'token_not_registered'],
  ])('is refused with %s', async (_, parts, code) => {
    const { orders, delivered } = payments();
    expect(await orders.pay(request(parts))).toMatchObject({ ok: false, code });
    expect(delivered).toEqual([]);
  });

  it.each([
    ['the channel with the target', {}],
    ['channels with others', { target: STRANGER }],
    ['given paths', { target: STRANGER, routes: [{ route: [PARTNER, STRANGER], fee: 0n }] }],
  ])('is not begun over %s while all locks are in use', async (_, parts) => {
    const { orders, delivered, searches, recorded } = payments({ locks: MAX_PENDING_LOCKS });
    expect(await orders.pay(request(parts))).toMatchObject({ ok: false, code: 'too_many_locks' });
    expect([delivered, searches, recorded]).toEqual([[], [], []]);
  });

  const orderIn = ({ delivered }: ReturnType<typeof payments>) => {
    const event = delivered[0]?.event;
    return event?.type === 'cmd.pay' ? event.payment : undefined;
  };

  it.each([
    ['its only route is the channel with the target', null, '0x10'],
    ['others pass it on', [{ route: [PARTNER, STRANGER], fee: 1n }], '0x10'],
    ['it is not known', [{ route: [PARTNER, UNKNOWN], fee: 0n }], null],
    ['another route may follow', [[PARTNER], [PARTNER]].map((route) => ({ route, fee: 0n })), null],
  ])('has its secret sealed for the target or not when %s', async (_, routes, sealed) => {
    const node = payments();
    const target = routes?.[0]?.route.at(-1) ?? PARTNER;
    void node.orders.pay(request({ target, routes, secret: null }));
    await new Promise(setImmediate);
    expect(orderIn(node)?.sealedSecret).toBe(sealed);
  });

  it('is refused with a secret that was used here or stands on chain', async () => {
    const here = payments({ used: [hashOf(1)] });
    expect(await here.orders.pay(request())).toMatchObject({ code: 'secret_used' });
    const onChain = payments({ registered: 7n });
    expect(await onChain.orders.pay(request())).toMatchObject({ code: 'secret_used' });
  });

  /** The node takes up the order, as it does within the turn of the command. */
  function takeUp({ orders, delivered }: ReturnType<typeof payments>) {
    const [asked] = delivered;
    if (asked === undefined) throw new Error('nothing was ordered');
    const input = { id: `initiator:${hashOf(1)}`, own: OWN, confirmations: 5n, order: orderOf() };
    orders.noteSpawned({ type: 'spawn.initiator', id: input.id, input });
    return input.id;
  }

  it.each([
    ['by this node', null, 100n],
    ['by the caller, who may have shown it to whoever gets the lock', secretOf(1), 90n],
  ])(
    'that failed over a closed channel costs its budget as its secret was chosen: %s',
    async (_, secret, left) => {
      const node = payments();
      const budget = { caller: 'shop', perDay: 100n };
      const paid = node.orders.pay(request({ secret, budget }));
      await new Promise(setImmediate);
      expect(node.budgets.left(budget, TOKEN)).toBe(90n);
      const [asked] = node.delivered;
      const requestId = String(factOf(asked?.event ?? {}, 'requestId'));
      node.answer({ type: 'reply.error', requestId, code: 'channel_closed', detail: '' });
      expect(await paid).toMatchObject({ code: 'channel_closed' });
      expect(node.budgets.left(budget, TOKEN)).toBe(left);
    },
  );

  it('that comes again while it is on its way is the same payment', async () => {
    const node = payments();
    const first = node.orders.pay(request());
    // The facts of the chain are awaited.
    await new Promise(setImmediate);
    const requestId = takeUp(node);
    const second = node.orders.pay(request({ secret: null }));
    const value = { kind: 'payment', order: orderOf() } as const;
    node.answer({ type: 'reply.ok', requestId, value });
    expect(await first).toEqual(await second);
    expect(node.delivered).toHaveLength(1);
  });

  it('that comes again with another amount is refused', async () => {
    const node = payments();
    const first = node.orders.pay(request());
    await new Promise(setImmediate);
    const requestId = takeUp(node);
    expect(await node.orders.pay(request({ amount: 11n }))).toMatchObject({
      code: 'identifier_used',
    });
    node.answer({ type: 'reply.error', requestId, code: 'lock_expired', detail: '' });
    expect(await first).toMatchObject({ ok: false, code: 'lock_expired' });
  });

  it('may use the identifier again when the payment has ended', async () => {
    const node = payments();
    void node.orders.pay(request());
    await new Promise(setImmediate);
    node.orders.noteEnded(takeUp(node));
    void node.orders.pay(request({ secret: secretOf(2), amount: 11n }));
    await new Promise(setImmediate);
    expect(node.delivered).toHaveLength(2);
  });
});
