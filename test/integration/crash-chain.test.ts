/** kill -9 in the middle of what a node does on chain: after the restart it ends, and only once. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anvilAccount } from '../support/chain.ts';
import { isAtRest, readLedger } from '../support/ledger.ts';
import { type NodeProcess, SETTLE_TIMEOUT, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

/** A transaction and an answer. Deaths at every other point are simulated. */
const POINTS = ['transaction.sent', 'reply.before'];
const WEALTH = 1_000_000n;
/** Nobody runs this partner: what happens to its channels is alice's doing alone. */
const PARTNER = anvilAccount(9).address;
/** Approve and open, approve and deposit, close, settle. */
const TRANSACTIONS_OF_A_LIFE = 6;

let world: World;
let alice: NodeProcess;

beforeAll(async () => {
  world = await startWorld();
  alice = await world.start('alice');
  await world.fund(alice.address, WEALTH);
});
afterAll(() => world?.stop());

const ledger = () => readLedger(join(world.folder, 'alice', 'node.db'));
const channel = () => alice.api.channel(world.token, PARTNER);
const path = () => `/channels/${world.token}/${PARTNER}`;
const transactionsSent = () => world.chain.client.getTransactionCount({ address: alice.address });

type Deed = {
  /** Asks for it; absent: the node does it by itself. */
  ask?: () => Promise<unknown>;
  isDone: () => boolean | Promise<boolean>;
};

const DEEDS: Record<string, Deed> = {
  open: {
    ask: () =>
      alice.api.put('/channels', {
        token_address: world.token,
        partner_address: PARTNER,
        total_deposit: '70',
      }),
    isDone: async () => (await channel())?.total_deposit === 70n,
  },
  deposit: {
    ask: () => alice.api.patch(path(), { total_deposit: '100' }),
    isDone: async () => (await channel())?.total_deposit === 100n,
  },
  close: {
    ask: () => alice.api.patch(path(), { state: 'closed' }),
    isDone: async () => (await channel())?.state === 'closed',
  },
  settle: {
    isDone: () => ledger().channels.length === 0,
  },
};

/** Does it, and dies if the point is met: the restarted node ends it, although nobody asks again. */
async function doAndDieAt({ ask, isDone }: Deed, point: string): Promise<boolean> {
  let isAnswered = ask === undefined;
  const askOnce = async () => {
    await ask?.().catch(() => {});
    isAnswered = true;
  };
  alice.dieAt(point);
  void askOnce();
  if (ask === undefined) await world.mine(SETTLE_TIMEOUT);
  // What is done is not over before the answer, which may be where the node dies.
  const isOver = async () =>
    (isAnswered && isAtRest(ledger()) && (await isDone())) || world.nudge();
  await until(
    async () => alice.isOver() || (await isOver().catch(() => false)),
    `the deed is done or alice dies at ${point}`,
  );
  alice.spare();
  if (await alice.survives()) return false;
  alice = await world.start('alice');
  const isEnded = async () => (isAtRest(ledger()) && (await isDone())) || world.nudge();
  await until(isEnded, 'the restarted node has done it');
  return true;
}

describe('a node', () => {
  it.each(POINTS)(
    'opens, deposits, closes and settles once though it dies at %s of each',
    async (point) => {
      const deaths: Record<string, number> = {};
      let isMet = true;
      for (let nth = 1; isMet; nth++) {
        isMet = false;
        const before = await transactionsSent();
        const events = (await world.events()).length;
        for (const [name, deed] of Object.entries(DEEDS)) {
          if (!(await doAndDieAt(deed, `${point}:${nth}`))) continue;
          isMet = true;
          deaths[name] = nth;
        }
        expect(await transactionsSent()).toBe(before + TRANSACTIONS_OF_A_LIFE);
        expect((await world.events()).slice(events)).toMatchObject([
          { eventName: 'ChannelOpened' },
          { eventName: 'ChannelNewDeposit', args: { totalDeposit: 70n } },
          { eventName: 'ChannelNewDeposit', args: { totalDeposit: 100n } },
          { eventName: 'ChannelClosed' },
          { eventName: 'ChannelSettled' },
        ]);
        expect(await world.tokensOf(alice.address)).toBe(WEALTH);
      }
      const deeds = point === 'reply.before' ? ['open', 'deposit', 'close'] : Object.keys(DEEDS);
      expect(Object.keys(deaths)).toEqual(deeds);
    },
    240_000,
  );
});
