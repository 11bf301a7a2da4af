/**
 * Messages to partners that wait for their acknowledgement: what is repeated, when, and in which order.
 *
 * The rows are written to disk with the batch that caused them; this is their copy in memory. Each lane has one timer, set
 * by how long its recipient usually takes. When it runs out, the oldest message is repeated, and in a channel both sides
 * tell each other what they hold (Sync): then what the partner lacks is sent again.
 */
import type { Send } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import { createRecent } from '../../../basics/recent.ts';
import { createTally } from '../../../basics/tally.ts';
import type { OutboxRow } from '../../../store/base/batch.ts';
import {
  hasUnsent,
  isHeld,
  isLost,
  isProof,
  type Lane,
  leastPause,
  newLane,
  ripe,
  sendable,
  slice,
} from './lane.ts';
import { type Numbered, newPosted, type Posted, rowOf, storedPosted } from './posted.ts';
import { createRepeats } from './repeats.ts';
import { createRoundTrip, LONGEST_PAUSE_MS } from './round-trips.ts';

export type Outbox = ReturnType<typeof createOutbox>;
export type Backlog = { rows: number; bytes: number };
/** What is sent because its time has come, and the channels in which both sides have to compare what they hold. */
export type Due = { entries: Posted[]; unanswered: string[] };

type Options = { rows: readonly OutboxRow[]; drawId(): bigint; elapsed(): number };

/** Recipients whose times are remembered. */
const MOST_RECIPIENTS = 4_096;
/** Lanes that are looked at together; the next ones are when it is asked again. */
const LANES_AT_ONCE = 64;
/** A recipient whose public key is not known is asked for it again after so long, and then after twice as long. */
const INTRODUCTION_MS = 1_000;

export function createOutbox({ rows, drawId, elapsed }: Options) {
  const posted = new Map<string, Posted>();
  const byMessageId = new Map<bigint, Posted>();
  const lanes = new Map<string, Lane>();
  const lanesOf = new Map<Address, Set<Lane>>();
  const timers = createRepeats<Lane>();
  /** Bytes of the messages of a channel that pass on a transfer of one partner. */
  const given = createTally<string>();
  /** By recipient: of what it acknowledges in channels, and of what it answers outside of them, which takes it longer. */
  const newTrips = () =>
    createRecent({ most: MOST_RECIPIENTS, create: (_: Address) => createRoundTrip() });
  const trips = { ofChannels: newTrips(), ofOthers: newTrips() };
  const tripOf = ({ to, queue }: Pick<Posted, 'to' | 'queue'>) =>
    (queue === null ? trips.ofOthers : trips.ofChannels).of(to);

  function laneOf({ queue, to }: Pick<Posted, 'queue' | 'to'>): Lane {
    const name = queue ?? to;
    const repeats = queue === null ? 0 : trips.ofChannels.of(to).repeats();
    const lane = lanes.get(name) ?? newLane(to, queue, repeats);
    if (lane.entries.size > 0) return lane;
    lanes.set(name, lane);
    const others = lanesOf.get(to) ?? new Set();
    lanesOf.set(to, others.add(lane));
    return lane;
  }

  function setTimer(lane: Lane, nextTime: number): void {
    lane.nextTime = nextTime;
    if (nextTime === Number.POSITIVE_INFINITY) timers.forget(lane);
    else timers.note(lane);
  }

  /** Whoever ends messages outside of channels, or makes this node send more, keeps no other from being repeated. */
  const noLater = (lane: Lane) =>
    setTimer(lane, Math.min(lane.nextTime, elapsed() + pauseOf(lane)));

  const pauseOf = (lane: Lane) => tripOf(lane).pause(lane.repeats);

  /** How long the messages of the lane wait. */
  const pausesOf = (lane: Lane) => (entry: Posted) =>
    tripOf(lane).pause(lane.queue === null ? entry.backOff : lane.repeats, leastPause(entry));

  function keep(entry: Posted): void {
    const lane = laneOf(entry);
    lane.entries.add(entry);
    lane.bytes += entry.size;
    posted.set(entry.key, entry);
    byMessageId.set(entry.message.messageId, entry);
    for (const [share, bytes] of sharesOf(entry)) given.add(share, bytes);
  }
  for (const row of rows) {
    const entry = storedPosted(row);
    keep(entry);
    // What is due at once of a channel is its oldest: its partner has most of the rest already.
    setTimer(laneOf(entry), 0);
  }

  /** If two messages had one identifier, the acknowledgement of one would wrongly end the other. */
  function freshId(): bigint {
    const drawn = drawId();
    return byMessageId.has(drawn) ? freshId() : drawn;
  }

  function drop(entry: Posted): Lane {
    const lane = laneOf(entry);
    posted.delete(entry.key);
    byMessageId.delete(entry.message.messageId);
    lane.entries.delete(entry);
    lane.bytes -= entry.size;
    for (const [share, bytes] of sharesOf(entry)) given.add(share, -bytes);
    if (lane.entries.size > 0) return lane;
    setTimer(lane, Number.POSITIVE_INFINITY);
    lanes.delete(lane.queue ?? lane.to);
    const others = lanesOf.get(lane.to);
    if (others?.delete(lane) && others.size === 0) lanesOf.delete(lane.to);
    return lane;
  }

  /** The entry is over, so its lane gets on: the timer begins anew. `isAnswered`: the recipient itself has ended it. */
  function end(entry: Posted, isAnswered: boolean): string {
    const { key } = entry;
    const lane = drop(entry);
    if (isAnswered) noteAnswer(lane, entry);
    if (lane.entries.size === 0) return key;
    if (hasUnsent(lane)) setTimer(lane, 0);
    else if (lane.queue === null) noLater(lane);
    else setTimer(lane, elapsed() + pauseOf(lane));
    return key;
  }

  /** Of a message that was repeated nobody can tell which of its copies was answered. */
  function noteAnswer(lane: Lane, { sends, sentAt, backOff }: Posted): void {
    if (sentAt === null) return;
    const trip = tripOf(lane);
    if (sends > 1) {
      // Else, on a line that has become slow, each would be repeated as often as this one, and nothing ever measured.
      if (lane.queue === null) trip.noteRepeats(backOff);
      return;
    }
    trip.note(elapsed() - sentAt);
    lane.repeats = 0;
    // Outside of channels messages are answered in any order: what was sent clearly before this one is lost.
    if (lane.queue === null) lane.lostBefore = Math.max(lane.lostBefore, sentAt - trip.least() / 4);
  }

  return {
    /**
     * Adds a message under an identifier that no other waiting message has; a new message replaces the old one of its
     * key.
     */
    add({ key, to, queue, message, givers = [], messageId = freshId() }: Send): OutboxRow {
      const before = posted.get(key);
      if (before !== undefined) drop(before);
      const numbered = { messageId, ...message };
      const row = rowOf({ key, to, queue, givers }, numbered);
      keep(newPosted(row, numbered));
      return row;
    },
    /**
     * Called when what the message was for has come, or is over. `by`: who has said so. Only what its recipient says tells
     * how long that takes: whoever gave a lock may show the secret that another is asked for.
     */
    remove(key: string, by: Address | null = null): string | null {
      const entry = posted.get(key);
      return entry === undefined ? null : end(entry, by === entry.to);
    },
    get: (key: string) => posted.get(key),
    /**
     * Notes that the batch that holds this message is on disk: from now on it may be sent. Answers it if it may leave
     * now. Null also when it was answered meanwhile, or another has taken its place, which may not be on disk yet.
     */
    stored(key: string, messageId: bigint): Posted | null {
      const entry = posted.get(key);
      if (entry === undefined || entry.message.messageId !== messageId) return null;
      entry.isStored = true;
      return isHeld(laneOf(entry), entry) ? null : entry;
    },
    size: () => posted.size,
    waiting: (): Iterable<Readonly<Posted>> => posted.values(),
    /** What of a channel is not acknowledged: messages, and their bytes. */
    backlog(queue: string): Backlog {
      const lane = lanes.get(queue);
      return { rows: lane?.entries.size ?? 0, bytes: lane?.bytes ?? 0 };
    },
    /** Bytes of the channel's messages that pass on a transfer of this partner. */
    givenBy: (queue: string, giver: Address): number => given.get(shareOf(queue, giver)),
    /** The channels for which messages wait. */
    queues: (): string[] =>
      [...lanes.values()].map(({ queue }) => queue).filter((queue) => queue !== null),
    /**
     * The keys of the messages that this Processed ends; none, unless its sender is the recipient. The recipient takes
     * balance proofs in their order: whoever acknowledges one has all before it.
     */
    acknowledge(messageId: bigint, sender: string): string[] {
      const entry = byMessageId.get(messageId);
      if (entry === undefined || entry.to !== sender || !isEndedByProcessed(entry.message))
        return [];
      if (entry.queue === null || !isProof(entry)) return [end(entry, true)];
      const nonce = entry.nonce ?? 0n;
      const earlier = proofsUpTo(laneOf(entry), nonce).filter((one) => one !== entry);
      for (const one of earlier) drop(one);
      return [...earlier.map(({ key }) => key), end(entry, true)];
    },
    /**
     * Drops the messages of a channel with balance proofs up to this nonce; null: all messages. Withdraw messages have
     * no locksroot and stay: no balance proof shows that the partner has received them.
     */
    dropQueue(queue: string, upToNonce: bigint | null): string[] {
      const lane = lanes.get(queue);
      if (lane === undefined) return [];
      const gone = upToNonce === null ? [...lane.entries] : proofsUpTo(lane, upToNonce);
      for (const one of gone) drop(one);
      if (gone.length > 0 && lane.entries.size > 0) setTimer(lane, elapsed() + pauseOf(lane));
      return gone.map(({ key }) => key);
    },
    /**
     * What the partner lacks of a channel and is sent again, now that it has said what it holds: a slice, and nothing
     * while what was sent last cannot have arrived and been answered yet.
     */
    lacking(queue: string): Posted[] {
      const lane = lanes.get(queue);
      if (lane === undefined) return [];
      const [oldest, ...rest] = [...slice(sendable(lane))];
      if (oldest === undefined) return [];
      const since = oldest.sentAt === null ? Number.POSITIVE_INFINITY : elapsed() - oldest.sentAt;
      return since < 0.9 * tripOf(lane).soonest() ? [] : [oldest, ...rest];
    },
    /** Called when the recipient is back: what waits for it is due now. */
    hurry(to: Address): void {
      for (const trip of Object.values(trips)) trip.of(to).forgetRepeats();
      for (const lane of lanesOf.get(to) ?? []) {
        lane.repeats = 0;
        lane.unsealable = 0;
        lane.unsealableUntil = 0;
        for (const entry of lane.entries) {
          entry.sentAt = null;
          if (lane.queue !== null) break;
        }
        setTimer(lane, 0);
      }
    },
    /** What is due, in the order of each lane. What is asked for is not due again until its next timer. */
    due(): Due {
      const now = elapsed();
      const due: Due = { entries: [], unanswered: [] };
      for (const lane of timers.due(now, LANES_AT_ONCE)) {
        const entries = [...slice(ripe(lane, now, pausesOf(lane)))];
        due.entries.push(...entries);
        const again = entries.filter(({ sends }) => sends > 0);
        if (again.length > 0 && lane.queue !== null) due.unanswered.push(lane.queue);
        const wasLate = again.some((entry) => entry.sentAt !== null && !isLost(lane, entry));
        if (wasLate && lane.queue !== null) tripOf(lane).noteRepeats(++lane.repeats);
        setTimer(lane, now + pauseOf(lane));
      }
      return due;
    },
    /** Notes that the entry leaves now. */
    noteSent(entry: Posted): void {
      entry.isLeaving = false;
      if (posted.get(entry.key) !== entry) return;
      const lane = laneOf(entry);
      if (entry.sentAt === null)
        Object.assign(entry, { backOff: tripOf(entry).repeats(), firstSentAt: elapsed() });
      else if (!isLost(lane, entry)) entry.backOff += 1;
      entry.sends += 1;
      entry.sentAt = elapsed();
      lane.unsealable = 0;
      lane.unsealableUntil = 0;
      const [oldest] = lane.entries;
      if (lane.queue === null) noLater(lane);
      else if (oldest === entry || lane.nextTime === Number.POSITIVE_INFINITY)
        setTimer(lane, elapsed() + pauseOf(lane));
    },
    /** Notes that the entry could not leave, because nothing can be sealed for its recipient yet. */
    noteUnsealable(entry: Posted): void {
      entry.isLeaving = false;
      if (posted.get(entry.key) !== entry) return;
      const lane = laneOf(entry);
      const now = elapsed();
      // All that wait for the recipient are tried at once: that is one question, and one pause.
      if (now >= lane.unsealableUntil)
        lane.unsealableUntil =
          now + Math.min(INTRODUCTION_MS * 2 ** lane.unsealable++, LONGEST_PAUSE_MS);
      setTimer(lane, lane.unsealableUntil);
    },
  };
}

const shareOf = (queue: string | null, giver: Address): string => `${queue} ${giver}`;

const sharesOf = ({ queue, givers }: Posted) =>
  givers.map(({ giver, bytes }) => [shareOf(queue, giver), bytes] as const);

/** Proofs were added in the order of their nonces. */
function proofsUpTo({ entries }: Lane, nonce: bigint): Posted[] {
  const found: Posted[] = [];
  for (const one of entries) {
    if (!isProof(one)) continue;
    if ((one.nonce ?? 0n) > nonce) break;
    found.push(one);
  }
  return found;
}

/** Whether a Processed ends the message. A request or a reveal is ended by the protocol's next message instead. */
function isEndedByProcessed({ type }: Numbered): boolean {
  return type !== 'SecretRequest' && type !== 'RevealSecret' && type !== 'WithdrawRequest';
}
