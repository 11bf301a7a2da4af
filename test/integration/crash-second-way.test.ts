/** kill -9 while a payment goes from its first way to its second: it is made once, and in one record. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { senderRemovalBlock } from '../../src/protocol/expiration.ts';
import { channelIn } from '../support/api.ts';
import { isAtRest, readLedger } from '../support/ledger.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000n;
const AMOUNT = 7n;
/** Of every node in this world. */
const CONFIRMATIONS = 1n;

let world: World;
let alice: NodeProcess;
let bob: NodeProcess;
let carol: NodeProcess;
let identifier = 0n;

/** Alice has a channel with bob, who has none with carol, and one with carol. */
beforeAll(async () => {
  world = await startWorld();
  alice = await world.start('alice');
  bob = await world.start('bob');
  carol = await world.start('carol');
  await world.fund(alice.address, 2n * DEPOSIT);
  for (const { api, address } of [bob, carol]) {
    const request = { partner_address: address, total_deposit: String(DEPOSIT) };
    const body = { token_address: world.token, ...request };
    channelIn(await world.whileMining(alice.api.put('/channels', body)));
    const isSeen = async () => (await api.channel(world.token, alice.address)) !== null;
    await until(isSeen, 'both know the channel');
  }
});
afterAll(() => world?.stop());

const ledger = (name: string) => readLedger(join(world.folder, name, 'node.db'));
const isQuiet = () => ['alice', 'bob', 'carol'].map(ledger).every(isAtRest);
const balanceWith = async ({ address }: NodeProcess) =>
  (await alice.api.channel(world.token, address))?.balance;
const timesIn = async ({ api }: NodeProcess) =>
  (await api.history()).filter((row) => 'identifier' in row && row.identifier === identifier)
    .length;

/** A payment to carol that hangs at bob, whose lock is about to run out. */
async function beginOverBob() {
  identifier += 1n;
  const routes = [
    [alice.address, bob.address, carol.address],
    [alice.address, carol.address],
  ];
  const paying = alice.api.post(`/payments/${world.token}/${carol.address}`, {
    amount: String(AMOUNT),
    identifier: String(identifier),
    paths: routes.map((route) => ({ route, address_metadata: {}, fee: '0' })),
  });
  // A node that is killed answers nothing.
  paying.catch(() => {});
  const hangs = () => {
    const { channels, outbox } = ledger('alice');
    return outbox === 0 && channels.some(({ context }) => context.ownEnd.locked > 0n);
  };
  await until(hangs, 'the payment hangs at bob');
}

const pendingLocks = () => ledger('alice').channels.flatMap(({ context }) => context.ownEnd.locks);

/**
 * Lets blocks pass until the next one takes the lock at bob back. A lock that is made while many blocks are read at
 * once loses the time of those that are still to be read, and its payee may find it too short.
 */
async function passAllBlocksButOne(): Promise<void> {
  const [lock] = pendingLocks();
  if (lock === undefined) throw new Error('nothing hangs at bob');
  const lastBlock = senderRemovalBlock(lock.expiration, CONFIRMATIONS) - 1n;
  const head = await world.chain.client.getBlockNumber({ cacheTime: 0 });
  await world.mine(lastBlock + CONFIRMATIONS - head);
  const haveRead = () => ['alice', 'carol'].every((name) => ledger(name).block === lastBlock);
  await until(haveRead, 'alice and carol have read these blocks');
}

// One of these commits takes the second route, one shows its secret, and one unlocks its lock.
it.each([1, 2, 3])(
  'a payment is made once when its node dies at commit %i after its first route began to hang',
  async (n) => {
    await beginOverBob();
    await passAllBlocksButOne();
    alice.dieAt(`commit.after:${n}`);
    await world.mine(1n);
    await until(alice.isOver, 'alice dies');
    alice.spare();
    alice = await world.start('alice');
    await until(isQuiet, 'the payment ends');
    expect([await timesIn(carol), await timesIn(alice)]).toEqual([1, 1]);
    expect(await balanceWith(carol)).toBe(DEPOSIT - AMOUNT * identifier);
    expect(await balanceWith(bob)).toBe(DEPOSIT);
  },
  150_000,
);
