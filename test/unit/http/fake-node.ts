/** A node that remembers what it was asked, and small makers for what it answers. */

import { type Address, type Hash, parseAddress, type Secret } from '../../../src/basics/hex.ts';
import type { NodeApi, NodeStats, PaymentResult } from '../../../src/node/api/api.ts';
import type { WaitingTransaction } from '../../../src/node/chain/jobs/waiting.ts';
import type { PaymentRequest } from '../../../src/node/routing/usable-routes.ts';
import type { ChannelView } from '../../../src/node/runtime/actors/channel-states.ts';
import type { PaymentRecord } from '../../../src/node/runtime/commits/records.ts';
import type { Call } from '../../../src/node/runtime/knowledge/calls.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';

function addressOf(digit: string): Address {
  const address = parseAddress(`0x${digit.repeat(40)}`);
  if (address === null) throw new Error(`no address from ${digit}`);
  return address;
}

export const OWN = addressOf('1');
export const TOKEN = addressOf('a');
export const NETWORK = addressOf('3');
export const PARTNER = addressOf('b');
export const STRANGER = addressOf('c');
/** A token without token network. */
export const UNREGISTERED = addressOf('d');
export const HASH: Hash = `0x${'7a'.repeat(32)}`;
export const SECRET: Secret = `0x${'5e'.repeat(32)}`;

export function channelView(changes: Partial<ChannelView> = {}): ChannelView {
  return {
    channelId: 7n,
    tokenNetwork: NETWORK,
    token: TOKEN,
    partner: PARTNER,
    balance: 900n,
    totalDeposit: 1_000n,
    totalWithdraw: 0n,
    state: 'opened',
    settleTimeout: 500n,
    revealTimeout: 50n,
    networkState: 'reachable',
    ...changes,
  };
}

export function paymentResult(request: PaymentRequest): PaymentResult {
  const secret = request.secret ?? SECRET;
  return {
    initiator: OWN,
    target: request.target,
    token: request.token,
    amount: request.amount,
    paymentId: request.paymentId ?? 42n,
    secret,
    secrethash: secrethashOf(secret),
  };
}

export const HISTORY: PaymentRecord[] = [
  {
    event: 'EventPaymentSentSuccess',
    time: Date.UTC(2026, 0, 31, 9, 8, 7, 120),
    token: TOKEN,
    amount: 25n,
    target: PARTNER,
    paymentId: 9_007_199_254_740_993n,
  },
  {
    event: 'EventPaymentSentFailed',
    time: Date.UTC(2026, 0, 31, 9, 9, 10),
    token: TOKEN,
    target: STRANGER,
    reason: 'lock expired',
    paymentId: 6n,
  },
  {
    event: 'EventPaymentReceivedSuccess',
    time: Date.UTC(2026, 0, 31, 9, 10, 0, 5),
    token: TOKEN,
    amount: 3n,
    initiator: PARTNER,
    paymentId: 8n,
  },
];

export const STATS: NodeStats = {
  channels: new Map([
    [
      'a',
      { token: TOKEN, state: 'opened', count: 2, ownCapacity: 10n ** 19n, partnerCapacity: 7n },
    ],
    ['b', { token: TOKEN, state: 'closed', count: 1, ownCapacity: 5n, partnerCapacity: 5n }],
  ]),
  actors: new Map([['c', { machine: 'channel', state: 'opened.idle', count: 2 }]]),
  locks: { initiator: 3, mediator: 0, target: 1 },
  lockSlack: 12n,
  outbox: 4,
  transactions: 1,
  chain: { head: 120n, confirmed: 115n, lag: 0n },
  lateBlocks: 0n,
  gasBudgetLeft: 0.25,
  gasReserveRatio: 2.5,
  isOnBroker: true,
  isReplicated: null,
  userDeposit: null,
};

const PENDING_CHANNEL = {
  token: TOKEN,
  partner: PARTNER,
  totalDeposit: 7n,
  revealTimeout: 50n,
};

const WAITING: WaitingTransaction = {
  type: 'tx.settle',
  token: TOKEN,
  partner: PARTNER,
  channelId: 7n,
  reason: 'not worth its gas',
};

const PROVEN = { secrethash: HASH, payer: PARTNER, amount: 7n };
const REDEEMED = {
  kind: 'redemption' as const,
  network: 'eip155:337',
  redemption: 'request:1',
  ...PROVEN,
};
const RELEASED = {
  kind: 'release' as const,
  network: 'eip155:337',
  secrethash: HASH,
  payer: PARTNER,
};

export type FakeNode = NodeApi & { asked: unknown[][] };

/** A ready node with one token and one channel; `changes` replaces any of its functions. */
export function fakeNode(changes: Partial<NodeApi> = {}): FakeNode {
  const asked: unknown[][] = [];
  function channelAfter(name: string, view: (...values: bigint[]) => ChannelView) {
    return async (token: Address, partner: Address, value?: bigint | Call) => {
      const given = typeof value === 'bigint' ? [value] : [];
      asked.push([name, token, partner, ...given]);
      return { ok: true as const, value: view(...given, 0n) };
    };
  }
  return {
    asked,
    ownAddress: OWN,
    version: '1.2.3',
    contracts: {
      contractsVersion: '0.40.0',
      tokenNetworkRegistryAddress: addressOf('4'),
      secretRegistryAddress: addressOf('5'),
      serviceRegistryAddress: null,
      userDepositAddress: null,
      monitoringServiceAddress: null,
      oneToNAddress: null,
    },
    settings: { pathfindingServiceAddress: null },
    status: () => ({ status: 'ready' }),
    isListening: () => true,
    health: () => [],
    isBroken: () => false,
    acknowledged: () => null,
    earlierCall: () => null,
    hasRoomForKey: () => true,
    tokens: () => [TOKEN],
    tokenNetworkOf: (token) => (token === TOKEN ? NETWORK : null),
    channels: ({ token }) => (token === null || token === TOKEN ? [channelView()] : []),
    channelSlices: ({ token }) => (token === null || token === TOKEN ? [[channelView()]] : []),
    channel: (token, partner) => (token === TOKEN && partner === PARTNER ? channelView() : null),
    payments(query) {
      asked.push(['payments', query]);
      return { ok: true, value: [HISTORY] };
    },
    paymentCount: () => HISTORY.length,
    async registerToken(token) {
      asked.push(['registerToken', token]);
      return { ok: true, value: NETWORK };
    },
    async openChannel(request) {
      asked.push(['openChannel', request]);
      const { totalDeposit } = request;
      return { ok: true, value: channelView({ totalDeposit, balance: totalDeposit }) };
    },
    deposit: channelAfter('deposit', (total = 0n) => channelView({ totalDeposit: total })),
    close: channelAfter('close', () => channelView({ state: 'closed' })),
    withdraw: channelAfter('withdraw', (total = 0n) => channelView({ totalWithdraw: total })),
    setRevealTimeout: channelAfter('setRevealTimeout', (timeout = 0n) =>
      channelView({ revealTimeout: timeout }),
    ),
    async pay(request) {
      asked.push(['pay', request]);
      return { ok: true, value: paymentResult(request) };
    },
    locksFor: () => null,
    redeeming: {
      network: 'eip155:337',
      verify(proof) {
        asked.push(['verify', proof]);
        return { isGood: true, ...PROVEN, received: 0 };
      },
      awaitPayment: () => null,
      async redeem(proof) {
        asked.push(['redeem', proof]);
        return { ok: true, value: { isGood: true, ...REDEEMED } };
      },
      async release(proof, redemption) {
        asked.push(['release', proof, redemption]);
        return { ok: true, value: { isGood: true, ...RELEASED } };
      },
    },
    connections: () => [{ token: TOKEN, sumDeposits: 1_000n, channels: 2 }],
    pendingTransfers: () => ({ ok: true, value: [] }),
    pendingTransferSlices: () => ({ ok: true, value: [] }),
    pendingChannels: () => [PENDING_CHANNEL],
    waitingTransactions: () => [WAITING],
    async orderWaiting(token, partner) {
      asked.push(['orderWaiting', token, partner]);
      return { ok: true, value: [WAITING] };
    },
    channelEvents: () => ({ ok: true, value: [] }),
    notifications: () => [],
    async stats() {
      return STATS;
    },
    feed: { bounds: () => ({ oldest: 1, newest: 0 }), after: () => [], onNew: () => () => {} },
    async depositToUserDeposit(total) {
      asked.push(['depositToUserDeposit', total]);
      return { ok: true, value: { transactionHash: HASH } };
    },
    async planUserDepositWithdraw(amount) {
      asked.push(['planUserDepositWithdraw', amount]);
      return { ok: true, value: { transactionHash: HASH, plannedWithdrawBlock: 4_270_033n } };
    },
    async withdrawUserDeposit(amount) {
      asked.push(['withdrawUserDeposit', amount]);
      return { ok: true, value: { transactionHash: HASH } };
    },
    async join(token, funds) {
      asked.push(['join', token, funds]);
      return { ok: true, value: [channelView()] };
    },
    async leave(token) {
      asked.push(['leave', token]);
      return { ok: true, value: [channelView({ state: 'closed' })] };
    },
    async mint(token, to, value) {
      asked.push(['mint', token, to, value]);
      return { ok: true, value: { transactionHash: HASH } };
    },
    shutdown() {
      asked.push(['shutdown']);
    },
    ...changes,
  };
}
