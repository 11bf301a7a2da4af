/** One payer locks dust in a mediator's channel, and lets it lie: others get through, the mediator with them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  balanceOf,
  good,
  type Network,
  startVirtualNetwork,
  type TestNode,
  TOKENS,
} from '../support/network.ts';
import { tampered } from '../support/tampered.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const DEPOSIT = 10n * TOKENS;
const FIRST_DUST = 1_000n;
const DUST = 80;
/** What one payer alone may hold. */
const SHARE = 72;

let network: Network;
let alice: TestNode;
let bob: TestNode;
let carol: TestNode;
let dave: TestNode;

/** Alice and dave pay carol over bob. What alice pays as dust, carol never asks for. */
beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  for (const name of ['alice', 'bob', 'dave']) await network.fund(name, DEPOSIT);
  const signer = network.signerOf('carol');
  const wire = network.bus.connect(signer.address);
  const { transport } = tampered(wire, { network, signer }, (message) => {
    return message.type === 'SecretRequest' && message.paymentId >= FIRST_DUST;
  });
  alice = await network.start('alice');
  bob = await network.start('bob');
  carol = await network.start('carol', { transport });
  dave = await network.start('dave');
  await Promise.all([open(alice, bob), open(dave, bob), open(bob, carol)]);
  await agree();
});
afterAll(() => network?.stop());

async function open(from: TestNode, to: TestNode): Promise<void> {
  const facts = { token: network.token, partner: to.ownAddress, totalDeposit: DEPOSIT };
  const timeouts = { settleTimeout: null, revealTimeout: null };
  good(await network.whileMining(from.openChannel({ ...facts, ...timeouts })));
  const known = () => to.channel(network.token, from.ownAddress) !== null;
  await until(known, 'the channel is known to both');
}

/** All know the chain up to the same block, and it rests. */
async function agree(): Promise<void> {
  const head = await network.chain.client.getBlockNumber({ cacheTime: 0 });
  for (const node of [alice, bob, carol, dave])
    await until(async () => (await node.stats()).chain?.confirmed === head - 1n, 'all agree');
}

function pay(from: TestNode, hops: readonly TestNode[], amount: bigint, paymentId: bigint) {
  const route = [from, ...hops, carol].map(({ ownAddress }) => ownAddress);
  return from.pay({
    token: network.token,
    target: carol.ownAddress,
    amount,
    paymentId,
    secret: null,
    secrethash: null,
    lockTimeout: null,
    routes: [{ route, fee: 0n }],
  });
}
const lockedFor = (partner: TestNode) =>
  good(bob.pendingTransfers({ token: network.token, partner: partner.ownAddress })).length;

describe('dust that one payer leaves in a mediator’s channel', () => {
  it('takes at most half of the slots for mediated payments, and keeps nobody else from paying', async () => {
    for (let n = 0; n < DUST; n++) void pay(alice, [bob], 1n, FIRST_DUST + BigInt(n));
    await until(() => lockedFor(alice) === DUST, 'bob holds all of the dust', 90_000);
    await until(() => lockedFor(carol) === SHARE, 'bob passes on what alice may have', 90_000);

    good(await pay(dave, [bob], 3n * TOKENS, 1n));
    good(await pay(bob, [], TOKENS, 2n));
    const carols = () => balanceOf(carol.channel(network.token, bob.ownAddress));
    await until(() => carols() === 4n * TOKENS, 'carol is paid by both');
    expect(lockedFor(carol)).toBe(SHARE);
    const nodes = [alice, bob, carol, dave];
    expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
  });
});
