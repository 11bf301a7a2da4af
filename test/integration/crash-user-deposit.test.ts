/** kill -9 amid deposit, plan, withdrawal and mint: after the restart each ends, and only once. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { mint } from '../../src/contracts/tokens.ts';
import { isAtRest, readLedger } from '../support/ledger.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { walk } from '../support/walks.ts';

/** Where each of the three dies; the last ones are met by a deposit alone, which has two transactions. */
const ONCE = [
  'commit.before:1',
  'commit.after:1',
  'job.before:1',
  'transaction.signed:1',
  'transaction.saved:1',
  'transaction.sent:1',
  'transaction.mined:1',
  // Blocks have commits of their own, so the third commit is the first that can be the last of the order.
  'commit.before:3',
  'reply.before:1',
];
const DEPOSIT_ONLY = [
  'transaction.signed:2',
  'transaction.saved:2',
  'transaction.sent:2',
  'transaction.mined:2',
];
const WEALTH = 1_000_000n;
const DEPOSIT = 100n;
const PLAN = 70n;
const DELAY = 100n;
const MINTED = 7n;
/** Where a mint dies, which would be made twice by a node that forgets. */
const MINT_POINTS = [
  'commit.after:1',
  'transaction.saved:1',
  'transaction.sent:1',
  'reply.before:1',
];
/** Approve and deposit, plan, withdraw. */
const TRANSACTIONS_OF_A_ROUND = 4;

let world: World;
let alice: NodeProcess;

beforeAll(async () => {
  world = await startWorld();
  alice = await world.start('alice');
  await mint(world.clients, world.contracts.serviceTokenAddress, alice.address, WEALTH);
});
afterAll(() => world?.stop());

const ledger = () => readLedger(join(world.folder, 'alice', 'node.db'));
const transactionsSent = () => world.chain.client.getTransactionCount({ address: alice.address });

/** What the contract holds for alice, and what she holds herself. */
async function held() {
  const { client } = world.chain;
  const at = { address: world.contracts.userDepositAddress, abi: userDepositAbi } as const;
  const args = [alice.address] as const;
  const token = { address: world.contracts.serviceTokenAddress, abi: customTokenAbi } as const;
  const [balance, total, [planned, withdrawBlock], own] = await Promise.all([
    client.readContract({ ...at, functionName: 'balances', args }),
    client.readContract({ ...at, functionName: 'total_deposit', args }),
    client.readContract({ ...at, functionName: 'withdraw_plans', args }),
    client.readContract({ ...token, functionName: 'balanceOf', args }),
  ]);
  return { balance, total, planned, withdrawBlock, own };
}

type Held = Awaited<ReturnType<typeof held>>;
type Deed = {
  /** Absent: that of the user deposit. */
  path?: () => string;
  order: (before: Held) => Record<string, string>;
  isDone: (now: Held, before: Held) => boolean;
};

const DEEDS: Record<string, Deed> = {
  deposit: {
    order: ({ total }) => ({ total_deposit: String(total + DEPOSIT) }),
    isDone: (now, before) => now.total === before.total + DEPOSIT,
  },
  plan: {
    order: () => ({ planned_withdraw_amount: String(PLAN) }),
    isDone: (now) => now.planned === PLAN,
  },
  withdraw: {
    order: () => ({ withdraw_amount: String(PLAN) }),
    isDone: (now) => now.planned === 0n,
  },
};
const MINT: Deed = {
  path: () => `/_testing/tokens/${world.contracts.serviceTokenAddress}/mint`,
  order: () => ({ to: alice.address, value: String(MINTED) }),
  isDone: (now, before) => now.own === before.own + MINTED,
};

/**
 * Asks for it, and dies if the point is met. A death before anything is on disk leaves nothing to be
 * ended: then whoever asked has to ask again, as is done here.
 */
async function doAndDieAt({ path, order, isDone }: Deed, point: string): Promise<boolean> {
  const { client } = world.chain;
  const head = await client.getBlockNumber({ cacheTime: 0 });
  // Only commits of the order may be counted from here on.
  await until(() => ledger().block >= head - 1n, 'the blocks are applied');
  const before = await held();
  let isAnswered = false;
  const ask = async () => {
    await alice.api.post(path?.() ?? '/user_deposit', order(before)).catch(() => {});
    isAnswered = true;
  };
  // What is done on chain is not over before the answer, which may be where the node dies.
  const isOver = async () =>
    (isAnswered && isAtRest(ledger()) && isDone(await held(), before)) || world.nudge();
  alice.dieAt(point);
  void ask();
  await until(() => alice.isOver() || !isAtRest(ledger()), `ordered, or dead at ${point}`);
  await until(async () => alice.isOver() || (await isOver()), `done, or dead at ${point}`);
  alice.spare();
  if (await alice.survives()) return false;
  const isOnDisk = !isAtRest(ledger());
  alice = await world.start('alice');
  await until(() => isAtRest(ledger()) || world.nudge(), 'nothing is on its way');
  if (isDone(await held(), before)) return true;
  // The first commit may be that of a block which came at the same time as the order.
  expect(isOnDisk).toBe(false);
  expect(['commit.before:1', 'commit.after:1']).toContain(point);
  void ask();
  await until(isOver, 'the deed is done');
  return true;
}

const eventsOf = async (fromBlock: bigint) =>
  (
    await world.chain.client.getContractEvents({
      address: world.contracts.userDepositAddress,
      abi: userDepositAbi,
      fromBlock,
    })
  ).map(({ eventName }) => eventName);

const CASES: [string, string[]][] = [
  ...ONCE.map((point): [string, string[]] => [point, Object.keys(DEEDS)]),
  ...DEPOSIT_ONLY.map((point): [string, string[]] => [point, ['deposit']]),
];

const isFew = ([point]: (typeof CASES)[number]) =>
  ['commit.after:1', 'transaction.sent:2'].includes(point);

describe('a node', () => {
  it.each(walk(CASES, isFew))(
    'pays in, plans and withdraws once though it dies at %s of %s',
    async (point, victims) => {
      const deaths: string[] = [];
      const sent = await transactionsSent();
      const first = await held();
      const head = await world.chain.client.getBlockNumber({ cacheTime: 0 });
      for (const [name, deed] of Object.entries(DEEDS)) {
        if (name === 'withdraw') await world.mine(DELAY);
        const isVictim = victims.includes(name);
        if (await doAndDieAt(deed, isVictim ? point : 'none')) deaths.push(name);
      }
      expect(deaths).toEqual(victims);
      expect(await transactionsSent()).toBe(sent + TRANSACTIONS_OF_A_ROUND);
      expect(await held()).toMatchObject({
        total: first.total + DEPOSIT,
        balance: first.balance + DEPOSIT - PLAN,
        planned: 0n,
        withdrawBlock: 0n,
      });
      expect(await eventsOf(head + 1n)).toEqual(['WithdrawPlanned', 'BalanceReduced']);
    },
    120_000,
  );

  it.each(MINT_POINTS)('mints once though it dies at %s', async (point) => {
    const sent = await transactionsSent();
    const { own } = await held();
    expect(await doAndDieAt(MINT, point)).toBe(true);
    expect(await transactionsSent()).toBe(sent + 1);
    expect((await held()).own).toBe(own + MINTED);
  });
});
