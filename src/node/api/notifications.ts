/**
 * Notifications of what the operator should do: the conditions are checked from time to time, and a notification is on
 * disk until it is read. Conditions and thresholds: API decisions, GET notifications.
 */

import type { NotificationId } from '../../protocol/notification-ids.ts';
import type { Node } from '../node.ts';
import type { Notification } from '../runtime/commits/records.ts';
import {
  failingTransactions,
  frozenChannels,
  fullDisk,
  insecureVersion,
  LEAST_DEPOSIT,
  lateNode,
  lowDeposit,
  missingGas,
  outdatedVersion,
  silentPartners,
  unavailableBroker,
  unavailableChain,
  unavailableRouting,
  unsafeTimeouts,
} from './notification-texts.ts';
import { isNewer, readRelease } from './release.ts';
import { createBudgetWatch } from './spent-budgets.ts';

const CHECK_MS = 60_000;
/** One check of the release feed in three hours. */
const CHECKS_PER_RELEASE = 180;

/** What was found out about one condition. A condition that could not be judged has no finding. */
type Finding = { id: NotificationId; notification: Notification | null };

export function createNotifications(node: Node) {
  const { settings, own, reads, engine, store, log, clock } = node;
  /** Conditions that are recorded on disk as over, so that they need not be recorded again. */
  const knownOver = new Set<NotificationId>();
  let checks = 0;
  let lookedAt: number | null = null;
  let running: Promise<void> | null = null;

  async function deposit(): Promise<Finding[]> {
    const contract = settings.contracts.userDepositAddress;
    if (contract === null) return [];
    const found = await reads.userDeposit(contract, own);
    if (!found.ok) return [];
    const { effectiveBalance } = found.value;
    const isLow = effectiveBalance < LEAST_DEPOSIT;
    return [{ id: 'low_rdn', notification: isLow ? lowDeposit(own, effectiveBalance) : null }];
  }

  async function gas(): Promise<Finding[]> {
    await node.protection.watch.lookAfresh();
    const reserve = node.protection.reserve();
    if (reserve === null) return [];
    const { spare, wanted } = reserve;
    const notification = spare < wanted ? missingGas(own, spare, wanted) : null;
    return [{ id: 'missing_gas_reserve', notification }];
  }

  /** Open channels that take no locks, because their timeouts are too short for what this node needs. */
  function timeouts(): Finding[] {
    return [{ id: 'unsafe_timeouts', notification: unsafeTimeouts(node.unsafe.all()) }];
  }

  /** Channels that can only be closed. */
  function frozen(): Finding[] {
    return [{ id: 'channel_frozen', notification: frozenChannels(node.frozen.all()) }];
  }

  /** Channels whose partners acknowledge nothing. */
  function silent(): Finding[] {
    return [{ id: 'partner_silent', notification: silentPartners(node.silent()) }];
  }

  function late(): Finding[] {
    return [{ id: 'node_late', notification: lateNode(node.lateness.recent()) }];
  }

  /** Transactions that go on failing. */
  function failing(): Finding[] {
    return [
      { id: 'transactions_failing', notification: failingTransactions(node.failingTransactions()) },
    ];
  }

  const lookAtBudgets = createBudgetWatch(node.protection.budgets);
  /** Partners that have forced many registrations on this node. */
  const budgets = (): Finding[] => [{ id: 'gas_budget_spent', notification: lookAtBudgets() }];

  async function routing(): Promise<Finding[]> {
    const { asked } = node.context.finder;
    if (asked === undefined) return [];
    await asked.look();
    const trouble = asked.trouble();
    const notification =
      trouble === null ? null : unavailableRouting(trouble, settings.hasRoutingFallback);
    return [{ id: 'routing_unavailable', notification }];
  }

  function disk(): Finding[] {
    const lack = node.diskWatch.lack();
    return [{ id: 'disk_full', notification: lack === null ? null : fullDisk(lack) }];
  }

  function broker(): Finding[] {
    const trouble = node.brokerWatch.trouble();
    const notification = trouble === null ? null : unavailableBroker(trouble);
    return [{ id: 'broker_unavailable', notification }];
  }

  async function release(): Promise<Finding[]> {
    if (settings.releaseFeed === null) return [];
    try {
      const { version, isSecurity } = await readRelease(settings.releaseFeed);
      const newer = isNewer(version, settings.version) ? version : null;
      const outdated = newer === null ? null : outdatedVersion(settings.version, newer);
      const insecure =
        newer === null || !isSecurity ? null : insecureVersion(settings.version, newer);
      return [
        { id: 'version_outdated', notification: outdated },
        { id: 'version_security_warning', notification: insecure },
      ];
    } catch (error) {
      log.warn({ error: String(error) }, 'the release feed cannot be read');
      return [];
    }
  }

  function note(findings: readonly Finding[]) {
    const raised = findings.map(({ notification }) => notification).filter((one) => one !== null);
    const over = findings
      .filter(({ id, notification }) => notification === null && !knownOver.has(id))
      .map(({ id }) => id);
    for (const { id } of raised) knownOver.delete(id);
    for (const id of over) knownOver.add(id);
    if (raised.length + over.length === 0) return;
    engine.turn([], (batch) => {
      batch.notifications.push(...raised);
      batch.over.push(...over);
    });
    engine.flush();
  }

  /**
   * Needs no call to the chain, unlike the other checks, which may wait long for a chain that does not answer. After a
   * process has slept, the first check is skipped, so that the chain is looked at before it is judged.
   */
  function chain(): Finding[] {
    const before = lookedAt;
    lookedAt = clock.now();
    const hasSlept = before !== null && lookedAt - before > 2 * CHECK_MS;
    if (hasSlept || node.headStatus() === null) return [];
    const reason = node.headTrouble();
    const notification = reason === null ? null : unavailableChain(reason);
    return [{ id: 'chain_unavailable', notification }];
  }

  async function look(withRelease: boolean) {
    const partners = [...timeouts(), ...frozen(), ...silent(), ...budgets()];
    note([...chain(), ...disk(), ...broker(), ...partners, ...late(), ...failing()]);
    const asked = [deposit(), gas(), routing(), ...(withRelease ? [release()] : [])];
    note((await Promise.all(asked)).flat());
  }

  /** One check at a time: a chain that is slow to answer is not asked again meanwhile. */
  function begin(withRelease: boolean): Promise<void> {
    running ??= look(withRelease).finally(() => {
      running = null;
    });
    return running;
  }

  function tick() {
    const withRelease = checks % CHECKS_PER_RELEASE === 0;
    checks += 1;
    begin(withRelease).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'what the operator should know could not be looked up'),
    );
  }

  return {
    /** Checks from time to time from here on, until the returned function is called. */
    start(): () => void {
      const stop = clock.every(CHECK_MS, tick);
      node.diskWatch.listen(() => note(disk()));
      node.brokerWatch.listen(() => note(broker()));
      tick();
      return stop;
    },
    /** Checks everything now; resolves when what was found is on disk. */
    async check(): Promise<void> {
      await running;
      lookedAt = null;
      await begin(true);
    },
    /** All unread notifications, which count as read from here on. */
    take(): Notification[] {
      engine.flush();
      return store.takeNotifications();
    },
  };
}
