/** What services hear of three nodes in a line: alice, bob and carol. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import type { ServiceMessage } from '../../src/protocol/services/service-message-types.ts';
import { good, startVirtualNetwork, type TestNode, TOKENS } from '../support/network.ts';
import { listenTo, overheard, type Said } from '../support/overheard.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 3_000n, capFees: true };
const REWARD = 5n;

const network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
afterAll(() => network.stop());
const heard = listenTo(network.bus, 'pathfinding');

async function startBob() {
  const { transport, said } = overheard(
    network.bus.connect(network.addressOf('bob')),
    network.read,
  );
  const settings = { monitoringReward: REWARD };
  return { node: await network.start('bob', { transport, settings }), said };
}

for (const name of ['alice', 'bob', 'carol']) await network.fund(name, 100n * TOKENS);
const service = network.contracts.serviceTokenAddress;
await mintTokens(network.clients, service, network.addressOf('bob'), REWARD);
const alice = await network.start('alice');
const carol = await network.start('carol');
// The reward is there before the node that promises it begins.
const payer = await network.start('bob');
good(await network.whileMining(payer.depositToUserDeposit(REWARD)));
await payer.stop();
let bob = await startBob();

async function openChannel(opener: TestNode, partner: TestNode) {
  const deposit = { totalDeposit: 10n * TOKENS, settleTimeout: null, revealTimeout: null };
  const request = { token: network.token, partner: partner.ownAddress, ...deposit };
  const opened = good(await network.whileMining(opener.openChannel(request)));
  const isKnown = () => partner.channel(network.token, opener.ownAddress) !== null;
  await until(isKnown, `${partner.name} sees the channel`);
  return opened.channelId;
}
const first = await openChannel(alice, bob.node);
const second = await openChannel(bob.node, carol);

/** What a node said last of what it and its partner can send in a channel. */
function statedBy(node: Address, channelId: bigint): readonly bigint[] | undefined {
  const ofType = heard.filter((message) => message.type === 'PFSCapacityUpdate');
  const last = ofType.findLast(
    (update) => update.channelId === channelId && update.updatingParticipant === node,
  );
  return last && [last.updatingCapacity, last.otherCapacity];
}

/** Waits until both sides of the first channel say what each of them can send, in tokens. */
async function untilBothSay(alices: bigint, bobs: bigint) {
  const texts = () =>
    [statedBy(alice.ownAddress, first), statedBy(network.addressOf('bob'), first)].join(';');
  const [a, b] = [alices * TOKENS, bobs * TOKENS];
  await until(() => texts() === `${a},${b};${b},${a}`, `both say ${alices} and ${bobs}`);
}

const payment = (target: Address, amount: bigint) => ({
  token: network.token,
  target,
  amount,
  paymentId: null,
  secret: null,
  secrethash: null,
  lockTimeout: null,
  routes: null,
});

/** Where among what bob said the first message of this kind is. */
function placeOf(said: readonly Said[], isIt: (one: Said) => boolean): number {
  const place = said.findIndex(isIt);
  if (place < 0) throw new Error('bob never said it');
  return place;
}

const asksFor =
  (channelId: bigint, nonce: bigint) =>
  ({ message }: { message: Said['message'] }) =>
    message.type === 'RequestMonitoring' &&
    message.proof.channelId === channelId &&
    message.proof.nonce === nonce;

/** Identifiers of the messages of alice that bob has acknowledged, in their order. */
function acknowledged(said: readonly Said[]): bigint[] {
  const ids = said.flatMap(({ to, message }) =>
    to === alice.ownAddress && message.type === 'Processed' ? [message.messageId] : [],
  );
  return [...new Set(ids)];
}

describe('a balance proof that is passed on (R51)', () => {
  it('reaches monitoring services before bob acknowledges or uses it', async () => {
    const { said, node } = bob;
    const route = [alice.ownAddress, node.ownAddress, carol.ownAddress];
    const order = payment(carol.ownAddress, 2n * TOKENS);
    const paid = await alice.pay({ ...order, routes: [{ route, fee: 0n }] });
    expect(paid).toMatchObject({ ok: true });
    await until(() => acknowledged(said).length === 2, 'bob has taken transfer and unlock');

    const [transferId, unlockId] = acknowledged(said);
    const isAnswerTo =
      (id: bigint | undefined) =>
      ({ message }: Said) =>
        message.type === 'Processed' && message.messageId === id;
    const asked = placeOf(said, asksFor(first, 1n));
    expect(asked).toBeLessThan(placeOf(said, isAnswerTo(transferId)));
    expect(asked).toBeLessThan(
      placeOf(said, ({ to, message }) => to === carol.ownAddress && message.type === 'Update'),
    );
    const askedAgain = placeOf(said, asksFor(first, 2n));
    expect(askedAgain).toBeLessThan(placeOf(said, isAnswerTo(unlockId)));
    // Carol has sent no balance proof, so nothing in that channel needs anybody's care.
    expect(said.some(({ message }) => isAboutMonitoring(message, second))).toBe(false);
  });

  it('reaches them again before bob says anything else after a restart', async () => {
    await bob.node.stop();
    bob = await startBob();
    await until(() => bob.said.length > 0, 'bob speaks again');
    expect(bob.said[0]).toSatisfy(asksFor(first, 2n));
  });
});

describe('the announced capacities of both sides', () => {
  it('are right after payments', async () => {
    await untilBothSay(8n, 2n);
    for (let paid = 0; paid < 5; paid++)
      good(await alice.pay(payment(bob.node.ownAddress, TOKENS)));
    await untilBothSay(3n, 7n);
  });

  it('are right after a deposit, and so are the fees', async () => {
    const deposit = bob.node.deposit(network.token, alice.ownAddress, 4n * TOKENS);
    good(await network.whileMining(deposit));
    await untilBothSay(3n, 11n);
    const charged = () =>
      heard.findLast((message) => message.type === 'PFSFeeUpdate' && message.channelId === first);
    await until(() => widthOf(charged()) === 14n * TOKENS, 'the fees are those of 14 tokens');
  });

  it('are right after a withdraw', async () => {
    const withdraw = alice.withdraw(network.token, bob.node.ownAddress, TOKENS);
    good(await network.whileMining(withdraw));
    await untilBothSay(2n, 11n);
  });

  it('are not announced of a channel that is closed', async () => {
    good(await network.whileMining(alice.close(network.token, bob.node.ownAddress)));
    const isClosed = () => bob.node.channel(network.token, alice.ownAddress)?.state !== 'opened';
    await network.whileMining(until(isClosed, 'bob knows of the close'));
    await bob.node.stop();
    heard.length = 0;
    bob = await startBob();
    await until(() => statedBy(bob.node.ownAddress, second) !== undefined, 'bob speaks again');
    expect(
      heard.filter((message) => 'channelId' in message && message.channelId === first),
    ).toEqual([]);
    expect([alice, bob.node, carol].flatMap(({ failures }) => failures)).toEqual([]);
  });
});

function isAboutMonitoring(message: Said['message'], channelId: bigint): boolean {
  return message.type === 'RequestMonitoring' && message.proof.channelId === channelId;
}

/** The capacity that the penalty curve of an update spans. */
function widthOf(message: ServiceMessage | undefined): bigint | undefined {
  return message?.type === 'PFSFeeUpdate'
    ? message.schedule.imbalancePenalty?.at(-1)?.[0]
    : undefined;
}
