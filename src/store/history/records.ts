/** Reads of what is kept for people: alerts and channel logs. */
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { RecordAlert } from '../../../machines/effects.ts';
import { decode } from '../base/codec.ts';
import type { Connection } from '../base/connection.ts';
import { alerts, logs } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';

/** `time` is milliseconds since 1970. */
export type AlertRow = Omit<RecordAlert, 'type'> & { time: number };
/** `log` is the decoded chain event; its reader checks the shape. */
export type LogRow = { block: bigint; logIndex: number; log: unknown };

/** Logs that one read returns. Partners can add any number of logs to a channel, if they pay the gas. */
const LOGS_AT_ONCE = 100;

const rowid = sql<number>`${logs}.rowid`;

export function prepareRecords({ db }: Connection) {
  const allAlerts = db
    .select({
      alert: alerts.alert,
      channel: alerts.channel,
      detail: alerts.detail,
      time: alerts.time,
    })
    .from(alerts)
    .orderBy(asc(alerts.seq))
    .prepare();
  const logsOf = prepareLogsOf(db);
  const after = db
    .selectDistinct({ channel: logs.channel })
    .from(logs)
    .where(gt(logs.block, sql.param(sql.placeholder('block'), logs.block)))
    .prepare();

  return {
    /** Every alert ever raised, oldest first. */
    alerts: (): AlertRow[] => allAlerts.all(),
    /** The confirmed logs of a channel from a block on at the moment of the call, in the chain's order. */
    logs: logsOf,
    /** The channels that have logs of later blocks. */
    channelsAfter: (block: bigint): string[] => after.all({ block }).map(({ channel }) => channel),
  };
}

function prepareLogsOf(db: Connection['db']) {
  const at = sql.placeholder;
  const newest = db
    .select({ row: sql<number | null>`max(${rowid})` })
    .from(logs)
    .prepare();
  const place = sql`(${logs.block}, ${logs.logIndex})`;
  const later = db
    .select({ block: logs.block, logIndex: logs.logIndex, body: logs.body })
    .from(logs)
    .where(
      and(
        eq(logs.channel, at('channel')),
        sql`${place} > (${sql.param(at('block'), logs.block)}, ${at('logIndex')})`,
        lte(rowid, at('last')),
      ),
    )
    .orderBy(asc(logs.block), asc(logs.logIndex))
    .limit(LOGS_AT_ONCE)
    .prepare();

  function* slices(channel: string, fromBlock: bigint, last: number): Generator<LogRow[]> {
    // No log has a negative index: this place is just before the first log of the block.
    let end = { block: fromBlock, logIndex: -1 };
    for (let isLast = false; !isLast; ) {
      const rows = later.all({ channel, last, ...end });
      end = rows.at(-1) ?? end;
      isLast = rows.length < LOGS_AT_ONCE;
      yield rows.map(({ body, block, logIndex }) => ({ block, logIndex, log: decode(body) }));
    }
  }

  return (channel: string, fromBlock: bigint): Slices<LogRow> =>
    slices(channel, fromBlock, newest.get()?.row ?? 0);
}
