/**
 * Notifications of what the operator should do: the conditions are checked from time to time, and a notification is on
 * disk until it is read. Conditions and thresholds: API decisions, GET notifications.
 */

import { UNSAFE_TIMEOUTS } from '../../../machines/channel/timeouts.ts';
import { wholeUnits } from '../../protocol/amount.ts';
import type { Address } from '../../protocol/hex.ts';
import type { NotificationId } from '../../protocol/notification-ids.ts';
import type { Node } from '../node.ts';
import type { Notification } from '../runtime/records.ts';
import type { UnsafeChannel } from '../runtime/unsafe-channels.ts';
import { isNewer, readRelease } from './release.ts';
import { createBudgetWatch } from './spent-budgets.ts';

const CHECK_MS = 60_000;
/** One check of the release feed in three hours. */
const CHECKS_PER_RELEASE = 180;
const LEAST_DEPOSIT = 55n * 10n ** 17n;

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
    note([...chain(), ...disk(), ...broker(), ...timeouts(), ...budgets()]);
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

function unavailableChain(reason: string): Notification {
  return {
    id: 'chain_unavailable',
    summary: 'The node does not see the chain as it is now',
    body:
      `${reason}\nUntil this is mended, nothing can be paid or received, and nothing is passed on. Deadlines ` +
      'of what is pending go on: check the endpoint of --eth-rpc-endpoint and the clock of this machine.',
    urgency: 'high',
  };
}

function lowDeposit(own: Address, held: bigint): Notification {
  const least = wholeUnits(LEAST_DEPOSIT, 'up');
  const missing = wholeUnits(LEAST_DEPOSIT - held, 'up');
  return {
    id: 'low_rdn',
    summary: 'The user deposit is low',
    body:
      `The user deposit of ${own} has ${wholeUnits(held, 'down')} service tokens left to pay services ` +
      `with; it should have at least ${least}.\nDeposit ${missing} more with POST /api/v1/user_deposit, ` +
      'or path finding and monitoring may end.',
    urgency: 'normal',
  };
}

function missingGas(own: Address, left: bigint, wanted: bigint): Notification {
  // Transactions under way may have reserved more than the account holds.
  const spare = left > 0n ? left : 0n;
  return {
    id: 'missing_gas_reserve',
    summary: 'The account has too little money for gas',
    body:
      `The account ${own} has ${wholeUnits(spare, 'down')} of the chain's currency left to spend. To bring ` +
      'the secrets of pending payments on chain and to close, settle and unlock its channels, ' +
      `${wholeUnits(wanted, 'up')} are needed, at three times the highest gas price of the last minutes.\n` +
      `Send it at least ${wholeUnits(wanted - spare, 'up')}: until then this node passes no payments on ` +
      'and takes none that it could not protect.',
    urgency: 'normal',
  };
}

function unavailableRouting(trouble: string, hasFallback: boolean): Notification {
  const meanwhile = hasFallback
    ? 'Until then ways are found on the own copy of the network.'
    : 'Until then only partners can be paid: --no-routing-fallback keeps the node from looking itself.';
  return {
    id: 'routing_unavailable',
    summary: 'The path-finding service is no help',
    body: `${trouble}\nCheck the address of --pathfinding-service-address. ${meanwhile}`,
    urgency: 'normal',
  };
}

function unavailableBroker(trouble: string): Notification {
  return {
    id: 'broker_unavailable',
    summary: 'The message broker is away',
    body:
      `${trouble}\nUntil it is back, nothing can be paid or received, and nothing is passed on; pending payments ` +
      'end on chain if they must. Check --nats and the broker: the node tries again by itself.',
    urgency: 'high',
  };
}

function fullDisk({ left, least }: { left: number; least: number }): Notification {
  const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  return {
    id: 'disk_full',
    summary: 'The disk of the database is nearly full',
    body:
      `${megabytes(left)} MB are left on the disk of the database, and ${megabytes(least)} MB is the least ` +
      'with which payments are made and taken (--min-free-disk).\nFree some space: until then this node ' +
      'only brings to an end what is pending.',
    urgency: 'high',
  };
}

function unsafeTimeouts(channels: readonly UnsafeChannel[]): Notification | null {
  const [first] = channels;
  if (first === undefined) return null;
  return {
    id: 'unsafe_timeouts',
    summary: 'A channel takes no payments: its timeouts are too short',
    body:
      `${channels.length} open channels give and take no locks, the first of them with ${first.partner} ` +
      `for ${first.token}.\n${UNSAFE_TIMEOUTS}`,
    urgency: 'normal',
  };
}

function outdatedVersion(own: string, newer: string): Notification {
  return {
    id: 'version_outdated',
    summary: `Version ${newer} is out`,
    body: `This node runs version ${own}.\nInstall version ${newer} and restart the node.`,
    urgency: 'normal',
  };
}

function insecureVersion(own: string, newer: string): Notification {
  return {
    id: 'version_security_warning',
    summary: `Version ${newer} mends a security problem`,
    body: `This node runs version ${own}, which is not safe.\nInstall version ${newer} now and restart the node.`,
    urgency: 'high',
  };
}
