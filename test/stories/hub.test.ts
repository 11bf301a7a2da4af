/** One node in the middle passes on what everybody pays everybody at the same time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountToSend } from '../../src/protocol/fees/fees.ts';
import { expectMirrored } from '../support/agreement.ts';
import { isAtRest, ledgerOf as ledgerIn } from '../support/ledger.ts';
import {
  good,
  startVirtualNetwork,
  type TestNode,
  type VirtualNetwork,
} from '../support/network.ts';
import { until } from '../support/until.ts';

const PAYERS = ['bob', 'carol', 'dave', 'erin'];
const PAYEES = ['frank', 'grace', 'heidi', 'ivan'];
const PAYMENTS = 200;
const AMOUNT = 1_000n;
const FEE = 6n;
const COST = amountToSend(AMOUNT, FEE);
const DEPOSIT = 100n * COST;
const FEES = { flat: FEE, proportional: 0n, imbalance: 0n, capFees: true };

let network: VirtualNetwork;
let hub: TestNode;
const nodes = new Map<string, TestNode>();
const node = (name: string): TestNode => {
  const found = nodes.get(name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
};

async function open(from: TestNode, to: TestNode): Promise<void> {
  const timeouts = { settleTimeout: null, revealTimeout: null };
  const request = { token: network.token, partner: to.ownAddress, totalDeposit: DEPOSIT };
  good(await from.openChannel({ ...request, ...timeouts }));
  const isSeen = () =>
    to.channel(network.token, from.ownAddress) !== null &&
    ledgerOf(to.name).channels.some(({ context }) => context.partnerEnd.deposit === DEPOSIT);
  await until(isSeen, `${to.name} sees the channel`);
}

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FEES } } });
  for (const name of ['alice', ...PAYERS, ...PAYEES]) {
    await network.fund(name, DEPOSIT * BigInt(PAYEES.length));
    nodes.set(name, await network.start(name));
  }
  hub = node('alice');
  const incoming = PAYERS.map((name) => open(node(name), hub));
  const outgoing = PAYEES.map((name) => open(hub, node(name)));
  await network.whileMining(Promise.all([...incoming, ...outgoing]));
});
afterAll(() => network?.stop());

const ledgerOf = (name: string) => ledgerIn(network.storeOf(name));

function pay(number: number) {
  const from = node(PAYERS[number % PAYERS.length] ?? '');
  // Of any four in a row each payee gets one, and in the next four from another payer.
  const turn = number + Math.floor(number / PAYERS.length);
  const to = node(PAYEES[turn % PAYEES.length] ?? '');
  const route = [from, hub, to].map(({ ownAddress }) => ownAddress);
  const given = { token: network.token, target: to.ownAddress, amount: AMOUNT };
  const rest = { paymentId: BigInt(number + 1), secret: null, secrethash: null, lockTimeout: null };
  return from.pay({ ...given, ...rest, routes: [{ route, fee: FEE }] });
}

/** What a node can take out of its channels. */
const wealthOf = (one: TestNode) =>
  one.channels({ token: null }).reduce((sum, { balance }) => sum + balance, 0n);

describe('a hub', () => {
  it(`passes on ${PAYMENTS} payments at once and has its fee for each`, async () => {
    const answers = await Promise.all(Array.from({ length: PAYMENTS }, (_, number) => pay(number)));
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    const names = [...nodes.keys()];
    await until(() => names.map(ledgerOf).every(isAtRest), 'nothing is on its way');
    const hubs = new Map(ledgerOf('alice').channels.map((channel) => [channel.id, channel]));
    for (const name of [...PAYERS, ...PAYEES]) {
      const [own] = ledgerOf(name).channels;
      const other = hubs.get(own?.id ?? '');
      if (own === undefined || other === undefined) throw new Error(`${name} has no channel`);
      expectMirrored([own], [other]);
    }
    const share = BigInt(PAYMENTS / PAYERS.length);
    for (const name of PAYERS) expect(wealthOf(node(name))).toBe(DEPOSIT - share * COST);
    for (const name of PAYEES) expect(wealthOf(node(name))).toBe(share * (COST - FEE));
    expect(wealthOf(hub)).toBe(DEPOSIT * BigInt(PAYEES.length) + BigInt(PAYMENTS) * FEE);
    expect([...nodes.values()].flatMap(({ failures }) => failures)).toEqual([]);
  }, 120_000);
});
