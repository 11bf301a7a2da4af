/** The rules that compare nodes with the chain itself. */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Transaction } from '../../chain/transaction.ts';
import type { ChannelOnDisk } from '../../disk/disk.ts';
import { createBounds } from '../../invariants/bounds.ts';
import { createOrders } from '../../invariants/chain/orders.ts';
import { createPlaces } from '../../invariants/chain/places.ts';
import { createReading } from '../../invariants/chain/reading.ts';
import { createSight } from '../../invariants/chain/sight.ts';
import { createTransactionRule } from '../../invariants/chain/transactions.ts';
import type { Counts } from '../../invariants/counts.ts';
import { createHeights } from '../../invariants/locks/heights.ts';
import { createUnclaimed } from '../../invariants/locks/unclaimed.ts';
import { createAnswers } from '../../invariants/messages/answers.ts';
import { createArrivals } from '../../invariants/messages/arrivals.ts';
import { createFarewells } from '../../invariants/messages/farewells.ts';
import { createQueues } from '../../invariants/messages/queues.ts';
import { createReunions } from '../../invariants/messages/reunions.ts';
import { createSequences } from '../../invariants/messages/sequences.ts';
import { createDebtors } from '../../invariants/money/debtors.ts';
import { createDisputes } from '../../invariants/money/disputes.ts';
import { createEarnings } from '../../invariants/money/earnings.ts';
import { createFees, type Totals } from '../../invariants/money/fees.ts';
import type { Ledger } from '../../invariants/money/ledger.ts';
import { createLosses } from '../../invariants/money/losses.ts';
import { createReserves } from '../../invariants/money/reserves.ts';
import { createSolvency } from '../../invariants/money/solvency.ts';
import { createWithdrawals } from '../../invariants/money/withdrawals.ts';
import type { Facts, Honest } from '../../invariants/oracle.ts';
import { createKeeping } from '../../invariants/records/keeping.ts';
import { createReceipts } from '../../invariants/records/receipts.ts';
import { createSales } from '../../invariants/records/sales.ts';
import { createViews } from '../../invariants/records/views.ts';
import type { Quiet } from '../faults/quiet.ts';
import { callName } from '../figures/call-names.ts';
import type { World } from '../world.ts';
import type { MachinePlan } from '../world-plan.ts';
import { createGasRules, type GasRules } from './gas-rules.ts';
import { createStepRules, STEP_INVARIANTS } from './step-rules.ts';

type Options = {
  world: World;
  nodes: readonly MachinePlan[];
  confirmations: bigint;
  /** The index of the node with this address; null: none of this run. */
  indexOf(address: Address): number | null;
  isTrusted(index: number): boolean;
  /** Whether something has kept the node from its work since this block. */
  isExcused(index: number, sinceBlock: bigint): boolean;
  quiet: Quiet;
  /** The present time in seconds since 1970. */
  seconds(): number;
  ledger: Pick<Ledger, 'isHeld' | 'isInitiator' | 'claimOf'>;
  /** The cheat that has this key or account; null: none. */
  cheatOf(address: Address): string | null;
  counted: Counts['counted'];
  /** Sums over all nodes; null: one of them is not honest, or has forgotten something. */
  totals(): Totals | null;
};

export function createOracles(options: Options): GasRules {
  const { world, nodes, confirmations, indexOf, isTrusted, ledger, counted } = options;
  const { isHeld, isInitiator } = ledger;
  const { chain, tokenNetwork } = world;
  const indexes = new Map(nodes.map(({ name }, index) => [name, index]));

  function honest(address: Address): Honest | null {
    const index = indexOf(address);
    const inhabitant = index === null ? undefined : world.inhabitants[index];
    if (index === null || inhabitant === undefined || !isTrusted(index)) return null;
    const { machine, endpoint, disk } = inhabitant;
    const { isUnreachable, lagBlocks, frozenBlock, missingLogs } = endpoint.faults;
    const isLate = lagBlocks > 0n || frozenBlock !== null;
    const isBlind = isUnreachable || isLate || missingLogs !== null;
    const isPoor = chain.wei(address) === 0n;
    const isFit = machine.node() !== null && !isBlind && !isPoor && !disk.faults.full;
    return { name: machine.name, address, isFit, revealTimeout: nodes[index]?.revealTimeout ?? 0n };
  }

  function wouldSucceed(transaction: Transaction): boolean {
    const { arrivedBlock: sent } = transaction;
    return chain.at(sent, () => {
      const { timestamp } = chain.machine.world.block;
      chain.machine.stand(sent + 1n, timestamp + 1n);
      return chain.machine.ask(transaction).isSuccess;
    });
  }

  const facts: Facts = {
    confirmations,
    tokenNetwork,
    honest,
    firstBlock: chain.firstBlock,
    head: () => chain.head().number,
    blockHash: (number): Hash | null => chain.block(number)?.hash ?? null,
    secretBlock: chain.secretBlock,
    wei: chain.wei,
    channelLogs: (number) =>
      (chain.block(number)?.logs ?? []).flatMap(({ address, encoded }) => {
        const [, id] = encoded.topics;
        return address === tokenNetwork && id !== undefined ? [BigInt(id)] : [];
      }),
    machines: () => nodes.flatMap((_, index) => honest(world.addressOf(index)) ?? []),
    machine: (name) => {
      const index = indexes.get(name);
      return index === undefined ? null : honest(world.addressOf(index));
    },
    channel: (id) => chain.channel(tokenNetwork, id),
    channelOf: chain.channelOf,
    quietSince: options.quiet.since,
  };

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

  const termsOf = (who: string) => nodes[indexes.get(who) ?? -1]?.fees ?? null;
  const { healing } = options.quiet;
  const arrivals = createArrivals({ ...facts, healing });
  const processes = {
    isUp: (who: string) => nodeOf(who) !== null,
    channelsOf: (who: string) =>
      (nodeOf(who)?.channels({ token: world.token }) ?? [])
        .map(channelActorId)
        .filter((channel) => arrivals.isTaken(who, channel)),
  };
  const nameOf = ({ data }: Transaction) => callName(data);
  const isExcused = (who: string, since: bigint) =>
    options.isExcused(indexes.get(who) ?? -1, since);
  const { recover } = world.crypto;
  const chainId = BigInt(world.chainId);
  const solvency = createSolvency({
    ...facts,
    channelCount: () => chain.channelCount(tokenNetwork),
    held: () => chain.tokenBalance(world.token, tokenNetwork),
  });
  const sales = createSales({
    ...facts,
    isExcused,
    offerOf(who) {
      const { sells = null, keepHistoryMs = null } = nodes[indexes.get(who) ?? -1] ?? {};
      return keepHistoryMs === null ? sells : null;
    },
    redeemingOf: (who) => nodeOf(who)?.redeeming ?? null,
    seconds: options.seconds,
  });
  const gas = createGasRules({ ...options, facts, isExcused });
  const transactions = createTransactionRule({
    ...facts,
    wouldSucceed,
    nameOf,
    isExcused: (owner, since) => options.isExcused(indexOf(owner) ?? -1, since),
    couldNotKnow: (first, second) =>
      world.inhabitants[indexOf(second.from) ?? -1]?.site?.audit.couldNotKnow(first, second) ??
      false,
  });
  const rules = [
    counted(STEP_INVARIANTS, createStepRules({ ...facts, isInitiator, recover, chainId })),
    counted([23], createSight(facts)),
    counted([20, 21], createReading(facts)),
    counted([19], createAnswers(facts)),
    counted([21], arrivals),
    counted([21], createReunions({ ...facts, ...processes, healing })),
    counted([19], createKeeping({ ...facts, onDisk, untaken: arrivals.untaken })),
    counted([8, 29], createReceipts({ ...facts, isExcused })),
    counted([25], createHeights({ ...facts, isInitiator })),
    counted([26], createReserves({ ...facts, isInitiator })),
    counted([24, 25], createDisputes(facts)),
    counted([21, 23, 25, 26], createOrders(facts)),
    counted([13, 23, 25], createUnclaimed(facts)),
    counted([21], createQueues(facts)),
    counted([2, 17, 32], createWithdrawals(facts)),
    counted([28], createViews({ ...facts, ...shown() })),
    counted([9], createFees(options)),
    counted([9], createEarnings({ ...facts, isInitiator, termsOf })),
    counted([34], createSequences()),
    counted([18], createFarewells()),
    counted([26], createDebtors(ledger)),
    counted([32], createBounds({ ...facts, isHeld })),
    counted([4], solvency),
    counted([26], createLosses({ ...facts, nameOf })),
    counted([26], createPlaces({ nameOf })),
    counted([26], transactions),
    ...gas.rules,
    counted([38], sales),
  ];
  return { ...gas, rules };
}
