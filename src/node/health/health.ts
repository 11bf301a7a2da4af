/**
 * Looks at the table of health checks from time to time: since when each is as it is, and what the operator is notified of. A
 * notification is on disk until it is read. Conditions and thresholds: API decisions, GET notifications.
 */
import { createRows } from '../../basics/health.ts';
import type { Node } from '../node.ts';
import type { Notification } from '../runtime/commits/records.ts';
import type { CheckId, HealthRow } from './check.ts';
import { isNeedful } from './rows.ts';
import { createTable } from './table.ts';

const CHECK_MS = 60_000;
/** Checks of everything until what is seldom asked for is asked for again: three hours. */
const CHECKS_PER_SELDOM = 180;

export type Health = ReturnType<typeof createHealth>;

export function createHealth(node: Node) {
  const { engine, store, log, clock } = node;
  const table = createTable(node);
  /** Conditions that are recorded on disk as over, so that they need not be recorded again. */
  const knownOver = new Set<CheckId>();
  let checks = 0;
  let lookedAt: number | null = null;
  let running: Promise<void> | null = null;

  const rows = createRows(table, clock);

  function note(some: readonly HealthRow[]) {
    const raised = some.flatMap(({ id, urgency, trouble }): Notification[] =>
      trouble === null ? [] : [{ id, urgency, ...trouble }],
    );
    const over = some
      .filter(({ id, isGood }) => isGood === true && !knownOver.has(id))
      .map(({ id }) => id);
    for (const { id, trouble } of some) if (trouble !== null) knownOver.delete(id);
    for (const id of over) knownOver.add(id);
    if (raised.length + over.length === 0) return;
    engine.turn([], (batch) => {
      batch.notifications.push(...raised);
      batch.over.push(...over);
    });
    engine.flush();
  }

  async function look(withSeldom: boolean) {
    const before = lookedAt;
    lookedAt = clock.now();
    // After a start, or when the process has slept, the chain is looked at before anybody is told of it.
    const isNew =
      node.headStatus() === null || (before !== null && lookedAt - before > 2 * CHECK_MS);
    const isAsked = (id: CheckId) =>
      table[id].ask !== undefined && (withSeldom || table[id].isSeldom !== true);
    // A chain that does not answer must not keep all else from being told.
    note(
      rows().filter(
        ({ id }) => table[id].ask === undefined && !(isNew && id === 'chain_unavailable'),
      ),
    );
    const asked = rows().filter(({ id }) => isAsked(id));
    await Promise.all(asked.map(({ id }) => table[id].ask?.()));
    note(rows().filter(({ id }) => isAsked(id)));
  }

  /** One check at a time: a chain that is slow to answer is not asked again meanwhile. */
  function begin(withSeldom: boolean): Promise<void> {
    running ??= look(withSeldom).finally(() => {
      running = null;
    });
    return running;
  }

  function tick() {
    const withSeldom = checks % CHECKS_PER_SELDOM === 0;
    checks += 1;
    begin(withSeldom).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'what the operator should know could not be looked up'),
    );
  }

  const noteOnly = (...ids: CheckId[]) => note(rows().filter(({ id }) => ids.includes(id)));

  return {
    /** Every row of the table as it is now. */
    rows,
    /** Those without which the node may take no calls: each call asks for them. */
    neededRows: createRows(table, clock, isNeedful),
    /** Checks from time to time from here on, until the returned function is called. */
    start(): () => void {
      const stop = clock.every(CHECK_MS, tick);
      node.diskWatch.listen(() => noteOnly('disk_full'));
      node.files.listen(() => noteOnly('database_lost', 'file_missing'));
      node.brokerWatch.listen(() => noteOnly('broker_unavailable'));
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
