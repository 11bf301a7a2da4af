/** Reads of what is kept for people: alarms and channel logs. */
import { and, asc, eq, gt, gte, sql } from 'drizzle-orm';
import type { RecordAlarm } from '../../machines/effects.ts';
import { decode } from './codec.ts';
import type { Connection } from './connection.ts';
import { alarms, logs } from './schema.ts';

/** `time` is milliseconds since 1970. */
export type AlarmRow = Omit<RecordAlarm, 'type'> & { time: number };
/** `log` is the decoded chain event; its reader checks the shape. */
export type LogRow = { block: bigint; logIndex: number; log: unknown };

export function prepareRecords({ db }: Connection) {
  const allAlarms = db
    .select({
      alarm: alarms.alarm,
      channel: alarms.channel,
      detail: alarms.detail,
      time: alarms.time,
    })
    .from(alarms)
    .orderBy(asc(alarms.seq))
    .prepare();
  const logsOf = db
    .select({ block: logs.block, logIndex: logs.logIndex, body: logs.body })
    .from(logs)
    .where(
      and(
        eq(logs.channel, sql.placeholder('channel')),
        gte(logs.block, sql.param(sql.placeholder('fromBlock'), logs.block)),
      ),
    )
    .orderBy(asc(logs.block), asc(logs.logIndex))
    .prepare();
  const after = db
    .selectDistinct({ channel: logs.channel })
    .from(logs)
    .where(gt(logs.block, sql.param(sql.placeholder('block'), logs.block)))
    .prepare();

  return {
    /** Every alarm ever raised, oldest first. */
    alarms: (): AlarmRow[] => allAlarms.all(),
    /** The confirmed logs of a channel from a block on, in the chain's order. */
    logs: (channel: string, fromBlock: bigint): LogRow[] =>
      logsOf
        .all({ channel, fromBlock })
        .map(({ body, ...position }) => ({ ...position, log: decode(body) })),
    /** The channels of which there are logs of later blocks. */
    channelsAfter: (block: bigint): string[] => after.all({ block }).map(({ channel }) => channel),
  };
}
