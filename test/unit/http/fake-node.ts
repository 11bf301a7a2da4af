/** A node that remembers what it was asked, and small makers for what it answers. */
import type {
  ChannelView,
  NodeApi,
  PaymentRecord,
  PaymentRequest,
  PaymentResult,
} from '../../../src/node/api.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';
import { type Address, parseAddress, type Secret } from '../../../src/protocol/hex.ts';

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

export type FakeNode = NodeApi & { asked: unknown[][] };

/** A ready node with one token and one channel; `changes` replaces any of its functions. */
export function fakeNode(changes: Partial<NodeApi> = {}): FakeNode {
  const asked: unknown[][] = [];
  function channelAfter(name: string, view: (...values: bigint[]) => ChannelView) {
    return async (token: Address, partner: Address, value?: bigint) => {
      asked.push([name, token, partner, ...(value === undefined ? [] : [value])]);
      return { ok: true as const, value: view(value ?? 0n) };
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
    isBroken: () => false,
    tokens: () => [TOKEN],
    tokenNetworkOf: (token) => (token === TOKEN ? NETWORK : null),
    channels: ({ token }) => (token === null || token === TOKEN ? [channelView()] : []),
    channel: (token, partner) => (token === TOKEN && partner === PARTNER ? channelView() : null),
    async payments(query) {
      asked.push(['payments', query]);
      return { ok: true, value: HISTORY };
    },
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
    shutdown() {
      asked.push(['shutdown']);
    },
    ...changes,
  };
}
