/** What the service keeps of the chain and of the nodes' statements: reads at the start, single writes later. */
import { and, eq, type SQL } from 'drizzle-orm';
import type { PenaltyCurve } from '../../protocol/fee-curve.ts';
import type { Address } from '../../protocol/hex.ts';
import type { CapacityUpdate, FeeUpdate } from '../../protocol/pfs-update.ts';
import type { Connection } from '../../store/connection.ts';
import { capacities, channels, fees, tokenNetworks } from './schema.ts';

export type ChannelRow = typeof channels.$inferSelect;
export type Rows = ReturnType<typeof prepareRows>;
type ChannelName = { tokenNetwork: Address; channelId: bigint };

/** Writes belong into a transaction of the caller. */
export function prepareRows({ db }: Connection) {
  const update = (set: Partial<ChannelRow>, where: SQL | undefined) =>
    db.update(channels).set(set).where(where).run();

  return {
    /** Everything, for the start. */
    networks: () => db.select().from(tokenNetworks).all(),
    channels: () => db.select().from(channels).all(),
    capacities: () => db.select().from(capacities).all(),
    fees: () =>
      db
        .select()
        .from(fees)
        .all()
        .map(({ curve, flat, proportional, capFees, ...rest }) => ({
          ...rest,
          schedule: { flat, proportional, capFees, imbalancePenalty: curveIn(curve) },
        })),

    addNetwork(row: typeof tokenNetworks.$inferSelect): void {
      db.insert(tokenNetworks).values(row).onConflictDoNothing().run();
    },
    addChannel(row: ChannelRow): void {
      db.insert(channels).values(row).onConflictDoNothing().run();
    },
    /** All that the participant ever deposited. */
    setDeposit(channel: ChannelName, participant: Address, total: bigint): void {
      update({ deposit1: total }, isSide(channels.participant1, channel, participant));
      update({ deposit2: total }, isSide(channels.participant2, channel, participant));
    },
    /** All that the participant ever withdrew. */
    setWithdraw(channel: ChannelName, participant: Address, total: bigint): void {
      update({ withdraw1: total }, isSide(channels.participant1, channel, participant));
      update({ withdraw2: total }, isSide(channels.participant2, channel, participant));
    },
    removeChannel(channel: ChannelName): void {
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

function isSide(side: Side, channel: ChannelName, participant: Address) {
  return and(isChannel(channels, channel), eq(side, participant));
}

function isChannel(
  table: typeof channels | typeof capacities | typeof fees,
  { tokenNetwork, channelId }: ChannelName,
) {
  return and(eq(table.tokenNetwork, tokenNetwork), eq(table.channelId, channelId));
}

function curveText(curve: PenaltyCurve | null): string | null {
  return curve === null ? null : curve.map((point) => point.join(':')).join(',');
}

function curveIn(text: string | null): PenaltyCurve | null {
  if (text === null) return null;
  return text.split(',').map((point) => {
    const [balance = '0', penalty = '0'] = point.split(':');
    return [BigInt(balance), BigInt(penalty)] as const;
  });
}
