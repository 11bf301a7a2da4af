/** How far a database has come in the stream: written with each transaction, read when the database is opened. */
import * as v from 'valibot';

const point = v.object({
  /** The number of a record in the stream. */
  sequence: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  /** Its tag, 32 hexadecimal digits. */
  tag: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
});
export type StreamPoint = v.InferOutput<typeof point>;

/** A record that the stream may lack. */
const sending = v.object({
  ...point.entries,
  /** The record in base64, to be sent again after a restart; absent: it is large, or that of an epoch. */
  bytes: v.optional(v.string()),
});
export type Sending = v.InferOutput<typeof sending>;

const place = v.object({
  /** The record of the transaction itself. */
  at: point,
  /** The newest record that the stream had acknowledged. */
  acknowledged: point,
  /** The epoch of the record `at`. */
  epoch: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  /** Whether the node of this database owned the stream; else it only followed. */
  isOwner: v.boolean(),
  /** Those after it that were on their way, oldest first: as far as is needed to know them again. */
  onTheWay: v.array(sending),
  /**
   * Whether stream and database have parted at the newest epoch: the owner has transactions that never arrived, and has
   * to send a copy before anything else. A follower lacks them.
   */
  hasGap: v.optional(v.boolean()),
});
export type StreamPosition = v.InferOutput<typeof place>;

/** Records on their way that a place names; what comes after them never left while the stream was away. */
export const MOST_ON_THE_WAY = 64;

export function encodePosition(value: StreamPosition): string {
  return JSON.stringify(value);
}

/** Throws when the text is no place: the database was changed by something else. */
export function decodePosition(text: string): StreamPosition {
  return v.parse(place, JSON.parse(text));
}
