/**
 * What this node keeps as long as all is well with it, one row for each thing: how it is found out, what is said when it is not
 * so, and how urgent that is. `/readyz`, `GET /health`, `sluice doctor`, the pages, metrics, alerts and notifications read this
 * table and nothing else.
 */

import type { Clock, Log } from '../../basics/environment.ts';
import { optional } from '../../basics/health.ts';
import type { Address } from '../../basics/hex.ts';
import type { Result } from '../../protocol/codes.ts';
import type { GasBudgets } from '../chain/gas/gas-budgets.ts';
import type { FailingTransaction } from '../chain/jobs/job-troubles.ts';
import type { FileWatch } from '../runtime/knowledge/file-watch.ts';
import type { UnsafeChannel } from '../runtime/knowledge/unsafe-channels.ts';
import { type NodeSettings, replacedChain, type SafeMode } from '../runtime/parts.ts';
import type { Table } from './check.ts';
import { newestRelease } from './release.ts';
import { createBudgetWatch } from './spent-budgets.ts';
import * as texts from './texts.ts';

type Standby = { look(): Promise<void>; missingSince(): number | null | undefined };
type Away = { since: number; message: string } | null;
/** What is asked of a node. */
export type Watched = {
  own: Address;
  settings: Pick<NodeSettings, 'contracts' | 'hasRoutingFallback' | 'releaseFeed' | 'version'>;
  safeMode: SafeMode | null;
  staleness(): string | null;
  brokerWatch: { trouble(): string | null };
  replica: { trouble(): Away; standby: Standby } | null;
  replicaAway(): Away;
  context: { finder: { asked?: { trouble(): string | null; look(): Promise<void> } } };
  diskWatch: { lack(): { left: number; least: number } | null };
  files: Pick<FileWatch, 'database' | 'others' | 'certificates' | 'backup'>;
  lateness: { recent(): bigint };
  protection: {
    reserve(): { spare: bigint; wanted: bigint } | null;
    watch: { lookAfresh(): Promise<void> };
    budgets: Pick<GasBudgets, 'all' | 'budgetOf' | 'leftOf'>;
  };
  monitoringTrouble(): string | null | undefined;
  clock: Pick<Clock, 'now'>;
  reads: {
    userDeposit(contract: Address, owner: Address): Promise<Result<{ effectiveBalance: bigint }>>;
  };
  failingTransactions(): readonly FailingTransaction[];
  unsafe: { all(): readonly UnsafeChannel[] };
  frozen: { all(): readonly UnsafeChannel[] };
  silent(): readonly UnsafeChannel[];
  log: Log;
};

export function createTable(node: Watched): Table {
  return { ...ofSurroundings(node), ...ofMoney(node), ...ofChannels(node), ...ofProgram(node) };
}

type Surroundings =
  | 'chain_unavailable'
  | 'chain_replaced'
  | 'broker_unavailable'
  | 'replica_unavailable'
  | 'standby_missing'
  | 'routing_unavailable'
  | 'disk_full'
  | 'database_lost'
  | 'file_missing'
  | 'certificate_ending'
  | 'backup_old'
  | 'node_late';

function ofSurroundings(node: Watched): Pick<Table, Surroundings> {
  const { settings, safeMode, replica } = node;
  const { asked } = node.context.finder;
  return {
    chain_unavailable: {
      keeps: 'The node sees the chain as it is now.',
      urgency: 'high',
      look() {
        return optional(node.staleness(), texts.unavailableChain);
      },
      isNeeded: () => node.staleness() !== null,
    },
    chain_replaced: {
      keeps: 'What counted as confirmed is still on the chain.',
      urgency: 'high',
      look: () => (safeMode === null ? null : replacedChain(safeMode)),
      isNeeded: () => true,
    },
    broker_unavailable: {
      keeps: 'Partners are reached over the message broker.',
      urgency: 'high',
      look: () => optional(node.brokerWatch.trouble(), texts.unavailableBroker),
    },
    replica_unavailable: {
      keeps: 'All that leaves the node is in its replica.',
      urgency: 'high',
      look() {
        const isWaitedFor = node.replicaAway() !== null;
        return optional(replica?.trouble() ?? null, (away) => texts.awayReplica(away, isWaitedFor));
      },
      isNeeded: () => node.replicaAway() !== null,
    },
    standby_missing: {
      keeps: 'The standby could go on in the place of the node.',
      urgency: 'high',
      look: () =>
        replica === null ? null : optional(replica.standby.missingSince(), texts.missingStandby),
      ask: async () => replica?.standby.look(),
    },
    routing_unavailable: {
      keeps: 'The path-finding service gives routes.',
      urgency: 'normal',
      look: () =>
        optional(asked?.trouble() ?? null, (trouble) =>
          texts.unavailableRouting(trouble, settings.hasRoutingFallback),
        ),
      ask: async () => asked?.look(),
    },
    disk_full: {
      keeps: 'The disk of the database has room.',
      urgency: 'high',
      look: () => optional(node.diskWatch.lack(), texts.fullDisk),
    },
    ...ofFiles(node),
    node_late: {
      keeps: 'Deadlines are judged in time.',
      urgency: 'high',
      look: () => texts.lateNode(node.lateness.recent()),
    },
  };
}

type Files = 'database_lost' | 'file_missing' | 'certificate_ending' | 'backup_old';

const ofFiles = ({ files, replica, clock }: Watched): Pick<Table, Files> => ({
  database_lost: {
    keeps: 'The database lies where the node has opened it.',
    urgency: 'high',
    look: () => optional(files.database.trouble(), texts.lostDatabase),
    isNeeded: () => true,
  },
  file_missing: {
    keeps: 'The files that the next start needs are there.',
    urgency: 'high',
    look: () => optional(files.others.trouble(), texts.missingFiles),
  },
  certificate_ending: {
    keeps: 'The certificates for the broker last three weeks more.',
    urgency: 'normal',
    look: () => optional(files.certificates.trouble(), texts.endingCertificates),
  },
  backup_old: {
    keeps: 'The database is replicated, or its backup is younger than a week.',
    urgency: 'normal',
    look() {
      if (replica !== null) return null;
      return texts.oldBackup(files.backup.madeAt(), clock.now());
    },
  },
});

type Money =
  | 'missing_gas_reserve'
  | 'low_rdn'
  | 'monitoring_unpaid'
  | 'transactions_failing'
  | 'gas_budget_spent';

function ofMoney(node: Watched): Pick<Table, Money> {
  const { own, protection } = node;
  const contract = node.settings.contracts.userDepositAddress;
  let deposit: bigint | null = null;
  return {
    missing_gas_reserve: {
      keeps: 'The account can pay for the gas of all channels.',
      urgency: 'normal',
      look() {
        const reserve = protection.reserve();
        if (reserve === null) return undefined;
        const { spare, wanted } = reserve;
        return spare < wanted ? texts.missingGas(own, spare, wanted) : null;
      },
      ask: () => protection.watch.lookAfresh(),
    },
    low_rdn: {
      keeps: 'The user deposit can pay services.',
      urgency: 'normal',
      look() {
        if (contract === null) return null;
        if (deposit === null) return undefined;
        return deposit < texts.LEAST_DEPOSIT ? texts.lowDeposit(own, deposit) : null;
      },
      async ask() {
        const found = contract === null ? null : await node.reads.userDeposit(contract, own);
        deposit = found?.ok ? found.value.effectiveBalance : null;
      },
    },
    monitoring_unpaid: {
      keeps: 'Monitoring services that are asked to look after the channels can be paid.',
      urgency: 'high',
      look: () => optional(node.monitoringTrouble(), texts.unpaidMonitoring),
    },
    transactions_failing: {
      keeps: 'What the node needs on chain gets there.',
      urgency: 'high',
      look: () => texts.failingTransactions(node.failingTransactions()),
    },
    gas_budget_spent: {
      keeps: 'Partners do not make the node pay for gas.',
      urgency: 'normal',
      look: createBudgetWatch(protection.budgets),
    },
  };
}

type Channels = 'unsafe_timeouts' | 'channel_frozen' | 'partner_silent';

const ofChannels = (node: Watched): Pick<Table, Channels> => ({
  unsafe_timeouts: {
    keeps: 'Every channel leaves the node enough time.',
    urgency: 'normal',
    look: () => texts.unsafeTimeouts(node.unsafe.all()),
  },
  channel_frozen: {
    keeps: 'Every channel can be used.',
    urgency: 'high',
    look: () => texts.frozenChannels(node.frozen.all()),
  },
  partner_silent: {
    keeps: 'Partners acknowledge what they are sent.',
    urgency: 'normal',
    look: () => texts.silentPartners(node.silent()),
  },
});

type Program = 'version_outdated' | 'version_security_warning';

function ofProgram({ settings, log }: Watched): Pick<Table, Program> {
  const newest = newestRelease(settings, log);
  return {
    version_outdated: {
      keeps: 'The program is the newest one.',
      urgency: 'normal',
      look: () =>
        optional(newest.newer(), ({ version }) => texts.outdated(settings.version, version)),
      ask: newest.ask,
      isSeldom: true,
    },
    version_security_warning: {
      keeps: 'No security problem of the program is known.',
      urgency: 'high',
      look: () =>
        optional(newest.newer(), ({ version, isSecurity }) =>
          isSecurity ? texts.insecure(settings.version, version) : null,
        ),
      ask: newest.ask,
      isSeldom: true,
    },
  };
}
