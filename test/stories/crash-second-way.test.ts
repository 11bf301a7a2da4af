/** Deaths while a payment goes from its first way to its second: it is made once, and in one record. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import { isAtRest } from '../support/ledger.ts';
import { type MortalNode, mortalNode } from '../support/mortal.ts';
import { balanceOf, good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000n;
const AMOUNT = 7n;
const PAYMENT = 1n;

let network: VirtualNetwork;
let alice: MortalNode;
let bob: MortalNode;
let carol: MortalNode;

/** Alice has a channel with bob, who has none with carol, and one with carol. */
beforeEach(async () => {
  network = startVirtualNetwork();
  await network.fund('alice', 2n * DEPOSIT);
  alice = mortalNode(network, 'alice');
  bob = mortalNode(network, 'bob');
  carol = mortalNode(network, 'carol');
  for (const node of [alice, bob, carol]) await node.start();
  for (const partner of [bob, carol]) {
    const timeouts = { settleTimeout: null, revealTimeout: null };
    const facts = { token: network.token, partner: partner.address, totalDeposit: DEPOSIT };
    good(await network.whileMining(alice.node().openChannel({ ...facts, ...timeouts })));
    const isSeen = () => partner.node().channel(network.token, alice.address) !== null;
    await until(isSeen, 'both know the channel');
  }
});
afterEach(() => network?.stop());

const isQuiet = () => [alice, bob, carol].every((node) => isAtRest(node.ledger()));
const balanceWith = ({ address }: MortalNode) =>
  balanceOf(alice.node().channel(network.token, address));
function timesIn(node: MortalNode): number {
  const all = { token: network.token, partner: null, offset: 0, limit: null };
  const rows = [...good(node.node().payments(all))].flat();
  return rows.filter((row) => 'paymentId' in row && row.paymentId === PAYMENT).length;
}

/** A payment to carol that hangs at bob; resolves with the last block of its lock. */
async function beginOverBob(): Promise<bigint> {
  const routes = [
    { route: [alice.address, bob.address, carol.address], fee: 0n },
    { route: [alice.address, carol.address], fee: 0n },
  ];
  const order = { token: network.token, target: carol.address, amount: AMOUNT, routes };
  const unset = { secret: null, secrethash: null, lockTimeout: null };
  void alice.ask((payer) => payer.pay({ ...order, ...unset, paymentId: PAYMENT }));
  const locks = () => alice.ledger().channels.flatMap(({ context }) => context.ownEnd.locks);
  const hangs = () => alice.ledger().outbox === 0 && locks().length > 0;
  await until(hangs, 'the payment hangs at bob');
  return locks()[0]?.expiration ?? 0n;
}

/**
 * Lets blocks pass until the next one takes the lock at bob back. A lock that is made while many blocks are read at
 * once loses the time of those that are still to be read, and its payee may find it too short.
 */
async function passAllBlocksButOne(expiration: bigint): Promise<void> {
  const { confirmations } = network.settings;
  const lastBlock = senderRemovalBlock(expiration, confirmations) - 1n;
  const head = await network.chain.client.getBlockNumber({ cacheTime: 0 });
  await network.mine(lastBlock + confirmations - head);
  const haveRead = () => [alice, carol].every((node) => node.ledger().block === lastBlock);
  await until(haveRead, 'alice and carol have read these blocks');
}

// One of these commits takes the second route, one shows its secret, and one unlocks its lock.
it.each([1, 2, 3, 4])(
  'a payment is made once when its node dies at commit %i after its first route began to hang',
  async (n) => {
    await passAllBlocksButOne(await beginOverBob());
    alice.dieAt('commit.after', n);
    await network.mine(1n);
    await until(alice.isOver, 'alice dies');
    await alice.start();
    await until(isQuiet, 'the payment ends');
    expect([timesIn(carol), timesIn(alice)]).toEqual([1, 1]);
    expect(balanceWith(carol)).toBe(DEPOSIT - AMOUNT);
    expect(balanceWith(bob)).toBe(DEPOSIT);
  },
);
