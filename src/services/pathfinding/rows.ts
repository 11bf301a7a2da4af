/** The rows of channels and of nodes' statements: all are read at the start, single ones are written later. */

import { and, eq, type SQL } from 'drizzle-orm';
import type { Address } from '../../basics/hex.ts';
import type { ChannelPlace } from '../../protocol/channel/canonical-id.ts';
import type { CapacityUpdate, FeeUpdate } from '../../protocol/services/pfs-update.ts';
import type { Connection } from '../../store/base/connection.ts';
import { curveText } from './curve-text.ts';
import { capacities, channels, fees, tokenNetworks } from './schema.ts';
import { type GraphChannelRow, prepareStored } from './stored-rows.ts';

export type PathfindingRows = ReturnType<typeof prepareRows>;

/** Writes have to be called inside a transaction of the caller. */
export function prepareRows(connection: Connection) {
  const { db } = connection;
  const update = (set: Partial<GraphChannelRow>, where: SQL | undefined) =>
    db.update(channels).set(set).where(where).run();

  return {
    /** All rows, to be read at the start. */
    networks: () => db.select().from(tokenNetworks).all(),
    ...prepareStored(connection),

    addNetwork(row: typeof tokenNetworks.$inferSelect): void {
      db.insert(tokenNetworks).values(row).onConflictDoNothing().run();
    },
    addChannel(row: GraphChannelRow): void {
      db.insert(channels).values(row).onConflictDoNothing().run();
    },
    /** Sets the total of all that the participant ever deposited. */
    setDeposit(channel: ChannelPlace, participant: Address, total: bigint): void {
      update({ deposit1: total }, isSide(channels.participant1, channel, participant));
      update({ deposit2: total }, isSide(channels.participant2, channel, participant));
    },
    /** Sets the total of all that the participant ever withdrew. */
    setWithdraw(channel: ChannelPlace, participant: Address, total: bigint): void {
      update({ withdraw1: total }, isSide(channels.participant1, channel, participant));
      update({ withdraw2: total }, isSide(channels.participant2, channel, participant));
    },
    removeChannel(channel: ChannelPlace): void {
      for (const table of [channels, capacities, fees])
        db.delete(table).where(isChannel(table, channel)).run();
    },
    putCapacity(update: CapacityUpdate): void {
      const { chainId: _, ...row } = update;
      const { updatingNonce, otherNonce, updatingCapacity, otherCapacity, revealTimeout } = row;
      db.insert(capacities)
        .values(row)
        .onConflictDoUpdate({
          target: [capacities.tokenNetwork, capacities.channelId, capacities.updatingParticipant],
          set: { updatingNonce, otherNonce, updatingCapacity, otherCapacity, revealTimeout },
        })
        .run();
    },
    putFee({ tokenNetwork, channelId, updatingParticipant, timestamp, schedule }: FeeUpdate): void {
      const { imbalancePenalty, ...rates } = schedule;
      const terms = { ...rates, curve: curveText(imbalancePenalty), timestamp };
      db.insert(fees)
        .values({ tokenNetwork, channelId, updatingParticipant, ...terms })
        .onConflictDoUpdate({
          target: [fees.tokenNetwork, fees.channelId, fees.updatingParticipant],
          set: terms,
        })
        .run();
    },
  };
}

type Side = typeof channels.participant1 | typeof channels.participant2;

function isSide(side: Side, channel: ChannelPlace, participant: Address) {
  return and(isChannel(channels, channel), eq(side, participant));
}

function isChannel(
  table: typeof channels | typeof capacities | typeof fees,
  { tokenNetwork, channelId }: ChannelPlace,
) {
  return and(eq(table.tokenNetwork, tokenNetwork), eq(table.channelId, channelId));
}
