/**
 * The rows of the monitoring service: what it knows of channels, the requests it keeps, and its work on closed
 * channels.
 */
import { and, count, eq, isNotNull, lt, sql } from 'drizzle-orm';
import type { Address } from '../../basics/hex.ts';
import type { LogBatch } from '../../chain/watch/batches.ts';
import type { ChannelLog } from '../../contracts/channel-events.ts';
import type { SignedServiceMessage } from '../../protocol/services/service-message-types.ts';
import type { Connection } from '../../store/base/connection.ts';
import type { KnownChannel } from './judge.ts';
import { channels, closes, requests, tokenNetworks } from './schema.ts';

export type ClosedChannel = typeof closes.$inferSelect;
export type Request = typeof requests.$inferSelect;
export type MonitoringBook = ReturnType<typeof createMonitoringBook>;
export type RequestMonitoring = SignedServiceMessage & { message: { type: 'RequestMonitoring' } };

/** Most requests for unknown channels: of one sender, and of all together. */
const MOST_WAITING = { bySender: 16, together: 5_000 };
export const LONGEST_WAIT_MS = 15 * 60_000;

export function channelKey(tokenNetwork: Address, channelId: bigint): string {
  return `${tokenNetwork}/${channelId}`;
}

/** Every function that writes has to be called inside a transaction. */
export function createMonitoringBook({ db }: Connection) {
  const at = sql.placeholder;
  const channelRow = db
    .select()
    .from(channels)
    .where(eq(channels.channel, at('channel')))
    .prepare();
  const closeRow = db
    .select()
    .from(closes)
    .where(eq(closes.channel, at('channel')))
    .prepare();
  const requestRow = db
    .select()
    .from(requests)
    .where(and(eq(requests.channel, at('channel')), eq(requests.nonClosing, at('nonClosing'))))
    .prepare();
  const networkRow = db
    .select()
    .from(tokenNetworks)
    .where(eq(tokenNetworks.address, at('address')))
    .prepare();
  /** `states`: a list in JSON. They are asked for at every block, and to write a query takes longer than to run it. */
  const closeRows = db
    .select()
    .from(closes)
    .where(sql`${closes.state} IN (SELECT value FROM json_each(${at('states')}))`)
    .orderBy(closes.settleBlock)
    .prepare();

  const change = (channel: string, fields: Partial<ClosedChannel>): void => {
    db.update(closes).set(fields).where(eq(closes.channel, channel)).run();
  };

  function noteClosed(log: ChannelLog & { type: 'chain.channelClosed' }, channel: string): void {
    const known = channelRow.get({ channel });
    if (known === undefined) return;
    const { participant1, participant2, settleTimeout, tokenNetwork, channelId } = known;
    const { closer: closing, at: position } = log;
    db.insert(closes)
      .values({
        channel,
        tokenNetwork,
        channelId,
        closing,
        nonClosing: closing === participant1 ? participant2 : participant1,
        closeBlock: position.block,
        settleBlock: position.block + settleTimeout,
        chainNonce: 0n,
        isSettled: false,
        state: 'watching',
        nonce: 0n,
        reward: 0n,
        job: null,
        jobNonce: 0n,
        jobReward: 0n,
        tries: 0,
        notBeforeBlock: 0n,
        transactionHash: null,
      })
      .onConflictDoNothing()
      .run();
  }

  function noteSettled(channel: string): void {
    db.delete(channels).where(eq(channels.channel, channel)).run();
    db.delete(requests).where(eq(requests.channel, channel)).run();
    change(channel, { isSettled: true });
    db.delete(closes)
      .where(and(eq(closes.channel, channel), eq(closes.state, 'watching')))
      .run();
  }

  function noteOpened(log: ChannelLog & { type: 'chain.channelOpened' }, channel: string): void {
    const { tokenNetwork, channelId, participant1, participant2, settleTimeout } = log;
    db.insert(channels)
      .values({ channel, tokenNetwork, channelId, participant1, participant2, settleTimeout })
      .onConflictDoNothing()
      .run();
    for (const request of db.select().from(requests).where(eq(requests.channel, channel)).all()) {
      const place = and(eq(requests.channel, channel), eq(requests.nonClosing, request.nonClosing));
      const both = [participant1, participant2];
      // Anybody may have sent requests for the channel before it was opened, signed with keys of their own.
      if (both.includes(request.nonClosing) && both.includes(request.partner))
        db.update(requests).set({ waitingSince: null }).where(place).run();
      else db.delete(requests).where(place).run();
    }
  }

  function noteLog(log: LogBatch['logs'][number]): void {
    if (log.type === 'chain.tokenNetworkCreated') {
      const { tokenNetwork: address, token } = log;
      db.insert(tokenNetworks).values({ address, token }).onConflictDoNothing().run();
      return;
    }
    if (log.type === 'chain.secretRevealed') return;
    const channel = channelKey(log.tokenNetwork, log.channelId);
    if (log.type === 'chain.channelOpened') noteOpened(log, channel);
    else if (log.type === 'chain.channelClosed') noteClosed(log, channel);
    else if (log.type === 'chain.proofUpdated') change(channel, { chainNonce: log.nonce });
    else if (log.type === 'chain.channelSettled') noteSettled(channel);
  }

  return {
    noteBatch(batch: LogBatch): void {
      for (const log of batch.logs) noteLog(log);
    },
    tokenNetworks: (): Address[] =>
      db
        .select()
        .from(tokenNetworks)
        .all()
        .map(({ address }) => address),

    /** The facts by which a request is judged. */
    known({ message }: RequestMonitoring, confirmedBlock: bigint): KnownChannel {
      const { tokenNetwork, channelId } = message.proof;
      const channel = channelKey(tokenNetwork, channelId);
      const row = channelRow.get({ channel });
      const close = row === undefined ? undefined : closeRow.get({ channel });
      return {
        isTokenNetwork: networkRow.get({ address: tokenNetwork }) !== undefined,
        channel:
          row === undefined
            ? null
            : {
                participants: [row.participant1, row.participant2],
                close:
                  close === undefined ? null : { block: close.closeBlock, closing: close.closing },
              },
        nonce: requestRow.get({ channel, nonClosing: message.nonClosingParticipant })?.nonce ?? 0n,
        confirmedBlock,
      };
    },
    /** Whether there is room for another request of an unknown channel by this sender. */
    canWait(sender: Address): boolean {
      const isWaiting = isNotNull(requests.waitingSince);
      const all = db.select({ n: count() }).from(requests).where(isWaiting).get();
      const own = db
        .select({ n: count() })
        .from(requests)
        .where(and(isWaiting, eq(requests.nonClosing, sender)))
        .get();
      return (own?.n ?? 0) < MOST_WAITING.bySender && (all?.n ?? 0) < MOST_WAITING.together;
    },
    /** Keeps the request, in place of an older one of the same participant. */
    keep({ message, signature }: RequestMonitoring, partner: Address, waitingSince: number | null) {
      const { proof } = message;
      const content = {
        partner,
        waitingSince,
        nonce: proof.nonce,
        balanceHash: proof.balanceHash,
        additionalHash: proof.additionalHash,
        proofSignature: message.proofSignature,
        nonClosingSignature: message.nonClosingSignature,
        reward: message.rewardAmount,
        rewardSignature: signature,
      };
      const channel = channelKey(proof.tokenNetwork, proof.channelId);
      db.insert(requests)
        .values({ channel, nonClosing: message.nonClosingParticipant, ...content })
        .onConflictDoUpdate({ target: [requests.channel, requests.nonClosing], set: content })
        .run();
    },
    /** Deletes requests that have waited since before this time for a channel that did not appear. */
    forgetWaiting(before: number): void {
      db.delete(requests).where(lt(requests.waitingSince, before)).run();
    },
    requestFor: ({ channel, nonClosing }: ClosedChannel): Request | null =>
      requestRow.get({ channel, nonClosing }) ?? null,
    close: (channel: string): ClosedChannel | null => closeRow.get({ channel }) ?? null,
    closeOfJob: (job: string): ClosedChannel | null =>
      db.select().from(closes).where(eq(closes.job, job)).get() ?? null,
    /** The closes in these states, those with the nearest settlement first. */
    closesIn: (...states: ClosedChannel['state'][]): ClosedChannel[] =>
      closeRows.all({ states: JSON.stringify(states) }),
    change,
    forgetClose: (channel: string): void => {
      db.delete(closes).where(eq(closes.channel, channel)).run();
    },
    counts: () => ({
      requests: db.select({ n: count() }).from(requests).get()?.n ?? 0,
      channels: db.select({ n: count() }).from(channels).get()?.n ?? 0,
      closes: closeRows.all({ states: '["watching","monitoring","monitored","claiming"]' }).length,
    }),
  };
}

/** Counts the closes for which this service may have to send transactions. */
export function prepareTakenOn({ db }: Connection): () => number {
  const rows = db
    .select({ n: count() })
    .from(closes)
    .leftJoin(
      requests,
      and(eq(requests.channel, closes.channel), eq(requests.nonClosing, closes.nonClosing)),
    )
    .where(
      sql`${closes.state} IN ('monitoring', 'monitored', 'claiming') OR (${closes.state} = 'watching' AND ${requests.nonce} IS NOT NULL)`,
    )
    .prepare();
  return () => rows.get()?.n ?? 0;
}
