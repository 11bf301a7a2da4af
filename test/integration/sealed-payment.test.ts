/** What whoever runs the broker can learn: all that passes a real one is heard here. */
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import { connectNats } from '../../src/partner/nats.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { decodeBatch } from '../../src/protocol/messages/message-codec.ts';
import type { Message } from '../../src/protocol/messages/table.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { type NatsServer, startNats } from '../support/nats.ts';
import {
  balanceOf,
  good,
  type Network,
  startNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol'] as const;
type Name = (typeof NAMES)[number];
const DEPOSIT = 10n * TOKENS;
const AMOUNT = 3n * TOKENS;
const SECRET: Secret = `0x${'c0ffee99'.repeat(8)}`;

let network: Network;
let broker: NatsServer;
let tap: NatsConnection;
const nodes = new Map<Name, TestNode>();
/** Everything that the broker has carried, by subject. */
const carried: { subject: string; data: Uint8Array }[] = [];
const node = (name: Name): TestNode => {
  const found = nodes.get(name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
};

function transportOf(name: Name): Transport {
  const { chain, contracts } = network;
  return connectNats({
    url: broker.url,
    chainId: chain.chainId,
    address: network.addressOf(name),
    tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress,
    sign: null,
    recover,
  });
}

async function open(from: Name, to: Name): Promise<void> {
  const facts = { token: network.token, partner: network.addressOf(to), totalDeposit: DEPOSIT };
  const timeouts = { settleTimeout: null, revealTimeout: null };
  good(await network.whileMining(node(from).openChannel({ ...facts, ...timeouts })));
  const isKnown = () => node(to).channel(network.token, network.addressOf(from)) !== null;
  await until(isKnown, 'the channel is known to both');
}

beforeAll(async () => {
  broker = await startNats();
  tap = await connect({ servers: broker.url });
  for (const subject of ['sluice.*.*.*', '_INBOX.>'])
    tap.subscribe(subject, {
      callback: (_, { subject: at, data }) =>
        void carried.push({ subject: at, data: data.slice() }),
    });
  await tap.flush();
  network = await startNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  for (const name of NAMES) await network.fund(name, DEPOSIT);
  for (const name of NAMES)
    nodes.set(name, await network.start(name, { transport: transportOf(name) }));
  await open('alice', 'bob');
  await open('bob', 'carol');
});
afterAll(async () => {
  await tap.close();
  await network.stop();
  await broker.stop();
});

const payCarol = () =>
  node('alice').pay({
    token: network.token,
    target: network.addressOf('carol'),
    amount: AMOUNT,
    paymentId: null,
    secret: SECRET,
    secrethash: null,
    lockTimeout: null,
    routes: [{ route: NAMES.map(network.addressOf), fee: 0n }],
  });
const held = (name: Name, partner: Name) =>
  balanceOf(node(name).channel(network.token, network.addressOf(partner)));

/** Every message that can be read on the broker. */
const readable = (): Message[] =>
  carried.flatMap(({ data }) => decodeBatch(data).messages.map(({ message }) => message));

describe('the operator of the broker', () => {
  it('carries a payment over a mediator and sees nothing of its secret', async () => {
    good(await payCarol());
    await until(() => held('carol', 'bob') === AMOUNT, 'carol is paid');
    for (const name of NAMES) {
      const subject = network.addressOf(name).toLowerCase();
      expect(carried.filter((each) => each.subject.endsWith(subject)).length).toBeGreaterThan(1);
    }
    const digits = SECRET.slice(2);
    const bytes = Buffer.from(digits, 'hex');
    const forms = [bytes, Buffer.from(digits), Buffer.from(digits.toUpperCase())];
    forms.push(Buffer.from(bytes.toString('base64').replace(/=+$/, '')));
    for (const { data } of carried)
      expect(forms.some((form) => Buffer.from(data).includes(form))).toBe(false);
    expect(readable()).toEqual([]);
  });
});
