import { describe, expect, it } from 'vitest';
import type { RecordPayment, Reply } from '../../../machines/effects.ts';
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../../../src/basics/hex.ts';
import { createPayments } from '../../../src/node/api/payments.ts';
import type { PaymentRequest } from '../../../src/node/routing/usable-routes.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import type { Delivery } from '../../../src/node/runtime/commits/delivery.ts';
import { createQuestions } from '../../../src/node/runtime/commits/questions.ts';
import { createHappenings } from '../../../src/node/runtime/happenings.ts';
import { createBudgets } from '../../../src/node/runtime/knowledge/budgets.ts';
import { noRoutes, type RouteRequest } from '../../../src/node/runtime/knowledge/route-finder.ts';
import { MAX_PENDING_LOCKS } from '../../../src/protocol/channel/lock.ts';
import { failure } from '../../../src/protocol/codes.ts';
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
import { forInitiator, initiator, orderOf } from '../../support/payment-makers.ts';

const PAYMENT = `initiator:${hashOf(1)}`;
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
  const happenings = createHappenings();
  const context = {
    own: OWN,
    questions,
    begin(_: unknown, { delivery }: { delivery: Delivery | null }) {
      if (delivery !== null) delivered.push(delivery);
      return true;
    },
    tokenNetworkOf: (token: Address) => (token === TOKEN ? NETWORK : null),
    chance: { bytes: (count: number) => new Uint8Array(count).fill(7) },
    secretRegistry: STRANGER,
    isSecretUsed: (secrethash: Hash) => used.includes(secrethash),
    channels: {
      find: (_: Address, partner: Address) => (partner === PARTNER ? CHANNEL : null),
      payable: () => 100n,
      takes: () => true,
      locksPending: () => locks,
      payers: () => [{ payable: 100n, ownLocks: locks }],
      canPay: (_: Address, amount: bigint | null) => amount === null || amount <= 100n,
      frozen: () => [],
    },
    partners: {
      isThere: async () => 'reachable' as const,
      stateOf: () => 'reachable' as const,
      sealSecret: (to: Address, _: unknown, { amount }: { amount: bigint }) =>
        to === UNKNOWN ? null : (`0x${amount}` as const),
      brokerTrouble: () => null,
    },
    finder: {
      ...noRoutes,
      find: (asked: RouteRequest) => {
        searches.push(asked);
        return noRoutes.find(asked);
      },
    },
    choose() {},
    record: (payment: RecordPayment) => void recorded.push(payment),
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
      isSecretRegistered: async () => ({ ok: true, value: registered }) as const,
    },
  };
  const orders = createPayments(context, happenings);
  return {
    orders,
    happenings,
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

/** A path that leads home. */
const BACK = { target: OWN, routes: [{ route: [PARTNER, STRANGER, OWN], fee: 1n }] };

describe('a payment order', () => {
  it.each<[string, Partial<PaymentRequest>, string]>([
    ['the zero secret, which everybody knows', { secret: ZERO_HASH }, 'invalid_secret'],
    ['the hash of another secret', { secrethash: hashOf(2) }, 'invalid_secret'],
    ['a hash without its secret', { secret: null, secrethash: hashOf(1) }, 'invalid_secret'],
    ['oneself as target', { target: OWN }, 'invalid_partner'],
    ['oneself as target over given paths, as a payment to another', BACK, 'invalid_partner'],
    ['oneself as target by no given path', { target: OWN, isCircular: true }, 'invalid_partner'],
    ['another target, as a payment to oneself', { isCircular: true }, 'invalid_partner'],
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
    ['it is this node', BACK.routes, '0x10'],
    ['another route may follow', [[PARTNER], [PARTNER]].map((route) => ({ route, fee: 0n })), null],
  ])('has its secret sealed for the target or not when %s', async (_, routes, sealed) => {
    const node = payments();
    const target = routes?.[0]?.route.at(-1) ?? PARTNER;
    const isCircular = target === OWN;
    void node.orders.pay(request({ target, routes, secret: null, isCircular }));
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
  function takeUp({ happenings, delivered }: ReturnType<typeof payments>) {
    const [asked] = delivered;
    if (asked === undefined) throw new Error('nothing was ordered');
    const input = { id: `initiator:${hashOf(1)}`, own: OWN, confirmations: 5n, order: orderOf() };
    happenings.tell('spawned', { type: 'spawn.initiator', id: input.id, input });
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
    node.happenings.tell('ended', takeUp(node));
    void node.orders.pay(request({ secret: secretOf(2), amount: 11n }));
    await new Promise(setImmediate);
    expect(node.delivered).toHaveLength(2);
  });

  it('that was found at the start goes on, unless its attempt is abandoned', async () => {
    const { snapshot } = initiator().tell(forInitiator.lockAdded);
    const asked = request({ amount: orderOf().amount + 1n });
    const going = payments();
    going.happenings.tell('found', PAYMENT, stateFrom(PAYMENT, snapshot));
    expect(await going.orders.pay(asked)).toMatchObject({ code: 'identifier_used' });
    const gone = payments();
    const { context } = snapshot;
    gone.happenings.tell('found', PAYMENT, stateFrom(PAYMENT, { value: 'abandoned', context }));
    void gone.orders.pay(asked);
    await new Promise(setImmediate);
    expect(gone.delivered).toHaveLength(1);
  });
});
