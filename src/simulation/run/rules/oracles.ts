/** The rules that compare nodes with the chain itself. */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Transaction } from '../../chain/transaction.ts';
import type { ChannelOnDisk } from '../../disk/disk.ts';
import { createBounds } from '../../invariants/bounds.ts';
import { createOrders } from '../../invariants/chain/orders.ts';
import { createPlaces } from '../../invariants/chain/places.ts';
import { createReading } from '../../invariants/chain/reading.ts';
import { createSight } from '../../invariants/chain/sight.ts';
import { createTransactionRule } from '../../invariants/chain/transactions.ts';
import { createContexts } from '../../invariants/commits/contexts.ts';
import type { Counts } from '../../invariants/counts.ts';
import { createHeights } from '../../invariants/locks/heights.ts';
import { createUnclaimed } from '../../invariants/locks/unclaimed.ts';
import { createAcknowledged } from '../../invariants/messages/acknowledged.ts';
import { createAnswers } from '../../invariants/messages/answers.ts';
import { createArrivals } from '../../invariants/messages/arrivals.ts';
import { createFarewells } from '../../invariants/messages/farewells.ts';
import { createPersistence } from '../../invariants/messages/persistence.ts';
import { createQueues } from '../../invariants/messages/queues.ts';
import { createReunions } from '../../invariants/messages/reunions.ts';
import { createSequences } from '../../invariants/messages/sequences.ts';
import { createShares } from '../../invariants/messages/shares.ts';
import { createSuccession } from '../../invariants/messages/succession.ts';
import { createWithdrawSayings } from '../../invariants/messages/withdraw-sayings.ts';
import { createDebtors } from '../../invariants/money/debtors.ts';
import { createDetours, type Detours } from '../../invariants/money/detours.ts';
import { createDisputes } from '../../invariants/money/disputes.ts';
import { createEarnings } from '../../invariants/money/earnings.ts';
import { createFees, type Totals } from '../../invariants/money/fees.ts';
import type { Ledger } from '../../invariants/money/ledger.ts';
import { createLosses } from '../../invariants/money/losses.ts';
import { createMediated } from '../../invariants/money/mediated.ts';
import { createReserves } from '../../invariants/money/reserves.ts';
import { createSolvency } from '../../invariants/money/solvency.ts';
import { createWithdrawals } from '../../invariants/money/withdrawals.ts';
import type { Facts } from '../../invariants/oracle.ts';
import { createKeeping } from '../../invariants/records/keeping.ts';
import { createReceipts } from '../../invariants/records/receipts.ts';
import { createRefusals, type Refusals } from '../../invariants/records/refusals.ts';
import { createSales } from '../../invariants/records/sales.ts';
import { createViews } from '../../invariants/records/views.ts';
import type { NodePlan } from '../../scenario/topology.ts';
import type { Quiet } from '../faults/quiet.ts';
import type { Trust } from '../faults/trust.ts';
import type { World } from '../world.ts';
import { createGasRules, type GasRules } from './gas-rules.ts';
import { createStepRules, STEP_INVARIANTS } from './step-rules.ts';

type Options = {
  facts: Facts;
  ledger: Ledger;
  world: World;
  nodes: readonly NodePlan[];
  quiet: Quiet;
  trust: Pick<Trust, 'isTrusted'>;
  /** The index of the node with this address; null: none of this run. */
  indexOf(address: Address): number | null;
  /** The present time in seconds since 1970. */
  seconds(): number;
  counted: Counts['counted'];
  /** Sums over all nodes; null: one of them is not honest, or has forgotten something. */
  totals(): Totals | null;
};

export function createOracles(
  options: Options,
): GasRules & Pick<Refusals, 'asks'> & Pick<Detours, 'pays'> {
  const { facts, ledger, world, nodes, quiet, indexOf, counted } = options;
  const { chain, tokenNetwork } = world;
  const { healing } = quiet;
  const indexes = new Map(nodes.map(({ name, index }) => [name, index]));
  const planOf = (who: string) => nodes[indexes.get(who) ?? -1];
  const inhabitantOf = (who: string) => world.inhabitants[indexes.get(who) ?? -1];
  const nodeOf = (who: string) => inhabitantOf(who)?.machine.node() ?? null;

  /** What the API of a running node shows. */
  function shown() {
    return {
      viewOf: (who: string, partner: Address) => nodeOf(who)?.channel(world.token, partner) ?? null,
      isSettled: (who: string) => (nodeOf(who)?.acknowledged() ?? null) === null,
      pendingOf(who: string) {
        const pending = nodeOf(who)?.pendingTransfers({ token: world.token, partner: null });
        return pending?.ok ? pending.value : [];
      },
    };
  }

  /** Of a node with two disks, either may be behind. */
  function onDisk(who: string, channel: string): ChannelOnDisk | null {
    const inhabitant = inhabitantOf(who);
    return inhabitant?.site === null ? inhabitant.disk.channel(channel) : null;
  }

  const arrivals = createArrivals({ ...facts, healing });
  const processes = {
    isUp: (who: string) => nodeOf(who) !== null,
    channelsOf: (who: string) =>
      (nodeOf(who)?.channels({ token: world.token }) ?? [])
        .map(channelActorId)
        .filter((channel) => arrivals.isTaken(who, channel)),
  };
  const solvency = createSolvency({
    ...facts,
    channelCount: () => chain.channelCount(tokenNetwork),
    held: () => chain.tokenBalance(world.token, tokenNetwork),
  });
  const sales = createSales({
    ...facts,
    offerOf: (who) => planOf(who)?.sells ?? null,
    forgets: (who) => (planOf(who)?.keepHistoryMs ?? null) !== null,
    hasLost: (who) => !options.trust.isTrusted(indexes.get(who) ?? -1),
    isMoney: (token) => token === world.token,
    redeemingOf: (who) => nodeOf(who)?.redeeming ?? null,
    seconds: options.seconds,
  });
  const views = {
    channelIdOf: (pair: readonly [Address, Address]) => chain.channelId(tokenNetwork, pair),
    balanceOf: (who: string, partner: Address) =>
      nodeOf(who)?.channel(world.token, partner)?.balance ?? 0n,
  };
  const { asks, ...refusals } = createRefusals({
    ...facts,
    ...views,
    tokensOf: (owner, isOfServices) =>
      chain.tokenBalance(isOfServices ? chain.serviceToken : world.token, owner),
    userDepositOf: chain.userDepositOf,
  });
  const gas = createGasRules(options);
  const transactions = createTransactionRule({
    ...facts,
    wouldSucceed: (transaction) => wouldSucceed(world, transaction),
    couldNotKnow: (first, second) =>
      world.inhabitants[indexOf(second.from) ?? -1]?.site?.audit.couldNotKnow(first, second) ??
      false,
  });
  const known = { ...ledger, ...facts };
  const { oracle: detours, pays } = createDetours({ ...known, ...views });
  const rules = [
    counted(STEP_INVARIANTS, createStepRules({ ...known, recover: world.crypto.recover })),
    counted([39], createContexts(known)),
    counted([23], createSight(facts)),
    counted([20, 21], createReading(facts)),
    counted([19], createAnswers(facts)),
    counted([21], arrivals),
    counted([21], createReunions({ ...facts, ...processes, healing })),
    counted([19], createKeeping({ ...facts, onDisk, untaken: arrivals.untaken })),
    counted([8, 29], createReceipts(facts)),
    counted([25], createHeights(known)),
    counted([26], createReserves(known)),
    counted([24, 25], createDisputes(facts)),
    counted([21, 23, 25, 26], createOrders(facts)),
    counted([13, 23, 25], createUnclaimed(facts)),
    counted([21], createQueues(facts)),
    counted([21], createAcknowledged(facts)),
    counted(
      [19],
      createSuccession({
        ...facts,
        lateSpeaker: (who) => inhabitantOf(who)?.site?.audit.lateSpeaker() ?? null,
      }),
    ),
    counted([21], createWithdrawSayings(facts)),
    counted([21], createPersistence({ ...facts, seconds: options.seconds })),
    counted([2, 17, 32], createWithdrawals(facts)),
    counted([28], createViews({ ...facts, ...shown() })),
    counted([9], createFees(options)),
    counted([9], createEarnings(known)),
    counted([9], createMediated({ termsOf: (who) => planOf(who)?.fees ?? null })),
    counted([9], detours),
    counted([34], createSequences()),
    counted([18], createFarewells()),
    counted([26], createDebtors(ledger)),
    counted([32], createBounds(known)),
    counted([32], createShares(known)),
    counted([4], solvency),
    counted([26], createLosses(facts)),
    counted([26], createPlaces(facts)),
    counted([26], transactions),
    ...gas.rules,
    counted([38], sales),
    counted([27], refusals),
  ];
  return { ...gas, rules, asks, pays };
}

/** Whether it would succeed as the only transaction in the block after the one in which it was sent. */
function wouldSucceed({ chain }: World, transaction: Transaction): boolean {
  const { arrivedBlock: sent } = transaction;
  return chain.at(sent, () => {
    const { timestamp } = chain.machine.world.block;
    chain.machine.stand(sent + 1n, timestamp + 1n);
    return chain.machine.ask(transaction).isSuccess;
  });
}
