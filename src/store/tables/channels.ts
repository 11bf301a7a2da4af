/** Which channels this node has and had. */
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address } from '../../basics/hex.ts';
import type { ChannelRow } from '../base/batch.ts';
import type { Connection } from '../base/connection.ts';
import { channels } from '../base/schema.ts';

export function prepareChannels({ db }: Connection) {
  const { number: _, ...columns } = getTableColumns(channels);
  const pair = db
    .select(columns)
    .from(channels)
    .where(
      and(
        eq(channels.token, sql.placeholder('token')),
        eq(channels.partner, sql.placeholder('partner')),
      ),
    )
    .prepare();
  const ids = db.select({ id: channels.id }).from(channels).prepare();
  return {
    /** All channels that this node ever had with a partner for a token, the one that was opened last first. */
    channelsWith: (token: Address, partner: Address): ChannelRow[] =>
      pair.all({ token, partner }).sort(laterFirst),
    /** The actors of all channels that this node ever had. */
    channelIds(): string[] {
      const rows: unknown[][] = ids.values();
      return rows.map(([id]) => String(id));
    },
  };
}

/**
 * Sorts the channel first that was opened last. Two channels may have been opened in one block; then the number
 * decides with which their ids end, since the contract counts its channels.
 */
export function laterFirst(a: ChannelRow, b: ChannelRow): number {
  const countIn = ({ id }: ChannelRow) => BigInt(id.slice(id.lastIndexOf(':') + 1));
  const [later, earlier] =
    a.openBlock === b.openBlock ? [countIn(a), countIn(b)] : [a.openBlock, b.openBlock];
  return later === earlier ? 0 : later > earlier ? -1 : 1;
}
