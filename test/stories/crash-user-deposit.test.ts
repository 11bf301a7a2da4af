/** Deaths amid deposit, plan, withdrawal and mint: after the restart each ends, and only once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import type { RunningNode } from '../../src/node/start.ts';
import { isAtRest } from '../support/ledger.ts';
import { type MortalNode, mortalNode } from '../support/mortal.ts';
import { startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

type Moment = [point: string, nth: number];
/** Where each of the three dies; the last ones are met by a deposit alone, which has two transactions. */
const ONCE: Moment[] = [
  ['commit.before', 1],
  ['commit.after', 1],
  ['job.before', 1],
  ['job.after', 1],
  ['transaction.signed', 1],
  ['transaction.saved', 1],
  ['transaction.sent', 1],
  ['transaction.mined', 1],
  ['reply.before', 1],
];
const DEPOSIT_ONLY: Moment[] = [
  ['transaction.signed', 2],
  ['transaction.saved', 2],
  ['transaction.sent', 2],
  ['transaction.mined', 2],
];
const WEALTH = 1_000_000n;
const DEPOSIT = 100n;
const PLAN = 70n;
const DELAY = 100n;
const MINTED = 7n;
/** Where a mint dies, which would be made twice by a node that forgets. */
const MINT_POINTS: Moment[] = [
  ['commit.after', 1],
  ['transaction.saved', 1],
  ['transaction.sent', 1],
  ['reply.before', 1],
];
/** Approve and deposit, plan, withdraw. */
const TRANSACTIONS_OF_A_ROUND = 4;

let network: VirtualNetwork;
let alice: MortalNode;

beforeEach(async () => {
  network = startVirtualNetwork();
  alice = mortalNode(network, 'alice');
  await mintTokens(network.clients, network.contracts.serviceTokenAddress, alice.address, WEALTH);
  await alice.start();
});
afterEach(() => network?.stop());

const transactionsSent = () => network.chain.client.getTransactionCount({ address: alice.address });

/** What the contract holds for alice, and what she holds herself. */
async function held() {
  const { client } = network.chain;
  const at = { address: network.contracts.userDepositAddress, abi: userDepositAbi } as const;
  const args = [alice.address] as const;
  const token = { address: network.contracts.serviceTokenAddress, abi: customTokenAbi } as const;
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
  ask: (node: RunningNode) => Promise<unknown>;
  isDone: (now: Held, before: Held) => boolean;
};

const DEEDS: Record<string, Deed> = {
  deposit: {
    ask: (node) => node.depositToUserDeposit(DEPOSIT),
    isDone: (now, before) => now.total === before.total + DEPOSIT,
  },
  plan: {
    ask: (node) => node.planUserDepositWithdraw(PLAN),
    isDone: (now) => now.planned === PLAN,
  },
  withdraw: {
    ask: (node) => node.withdrawUserDeposit(PLAN),
    isDone: (now) => now.planned === 0n,
  },
};
const MINT: Deed = {
  ask: (node) => node.mint(network.contracts.serviceTokenAddress, node.ownAddress, MINTED),
  isDone: (now, before) => now.own === before.own + MINTED,
};

/** Asks for it until it is done, and dies at the moment. What is not on disk by then has to be asked for again. */
async function doAndDieAt({ ask, isDone }: Deed, [point, nth]: Moment): Promise<void> {
  const before = await held();
  alice.dieAt(point, nth);
  void alice.ask(ask);
  // She reads the chain before she writes anything: of a block that came meanwhile, the commit would be counted, too.
  const hasBegun = () => alice.isOver() || !isAtRest(alice.ledger());
  await until(hasBegun, 'alice has begun');
  await network.whileMining(until(alice.isOver, `alice dies at ${point}`));
  await alice.start();
  await network.whileMining(until(() => isAtRest(alice.ledger()), 'nothing is on its way'));
  if (isDone(await held(), before)) return;
  expect([point, nth]).toEqual(['commit.before', 1]);
  await network.whileMining(alice.ask(ask));
}

async function eventsOf(): Promise<string[]> {
  const { client } = network.chain;
  const address = network.contracts.userDepositAddress;
  const events = await client.getContractEvents({ address, abi: userDepositAbi, fromBlock: 0n });
  return events.map(({ eventName }) => eventName);
}

const CASES: [...Moment, string[]][] = [
  ...ONCE.map((moment): [...Moment, string[]] => [...moment, Object.keys(DEEDS)]),
  ...DEPOSIT_ONLY.map((moment): [...Moment, string[]] => [...moment, ['deposit']]),
];

describe('a node', () => {
  it.each(CASES)(
    'pays in, plans and withdraws once though it dies at %s %i of %s',
    async (...given) => {
      const [point, nth, victims] = given;
      for (const [name, deed] of Object.entries(DEEDS)) {
        if (name === 'withdraw') await network.mine(DELAY);
        if (victims.includes(name)) await doAndDieAt(deed, [point, nth]);
        else await network.whileMining(alice.ask(deed.ask));
      }
      expect(await transactionsSent()).toBe(TRANSACTIONS_OF_A_ROUND);
      expect(await held()).toMatchObject({
        total: DEPOSIT,
        balance: DEPOSIT - PLAN,
        planned: 0n,
        withdrawBlock: 0n,
      });
      expect((await eventsOf()).slice(-2)).toEqual(['WithdrawPlanned', 'BalanceReduced']);
      expect(alice.failures).toEqual([]);
    },
  );

  it.each(MINT_POINTS)('mints once though it dies at %s %i', async (...moment) => {
    await doAndDieAt(MINT, moment);
    expect(await transactionsSent()).toBe(1);
    expect((await held()).own).toBe(WEALTH + MINTED);
  });
});
