/** Where records are kept: a log that takes each record at exactly one place, or not at all. */

/** Whether a broker can have a stream of this name. */
export function isStreamName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

/**
 * `taken`: another record is at this place, or the stream has not come so far; `away`: it is not known whether the
 * record was taken.
 */
export type Appended =
  | { ok: true }
  | { ok: false; problem: 'taken' }
  | { ok: false; problem: 'away'; message: string };

/**
 * The numbers of the oldest and the newest record; in an empty stream, `last` + 1 and `last`. `bytes`: of all together.
 * `madeAt`: when the broker has made the stream, in its own words.
 */
export type Bounds = { first: number; last: number; bytes: number; madeAt: string };

/**
 * `base`: the record that completes a copy of the database; `epoch`: that of a new owner; everything else is in the log.
 */
export type Track = 'log' | 'base' | 'epoch';

/**
 * Nothing that it answers is trusted: records prove themselves. Every promise rejects while the stream cannot be
 * reached, except that of `append`.
 */
export type RecordStream = {
  /** Adds the record as number `sequence`, if the newest one is that before it. Calls are taken in order. */
  append(record: Uint8Array, sequence: number, track: Track): Promise<Appended>;
  /** Null: the broker has no such stream. */
  bounds(): Promise<Bounds | null>;
  /** The record with this number; null when it is not there. */
  read(sequence: number): Promise<Uint8Array | null>;
  /** The newest record of the track, or null. */
  newest(track: Track): Promise<Uint8Array | null>;
  /**
   * The records from `sequence` on, in order, as long as the reader asks; it ends when the stream cannot be reached,
   * or by `stop`.
   */
  follow(
    sequence: number,
    stop: AbortSignal,
  ): AsyncIterable<{ sequence: number; bytes: Uint8Array }>;
  /** Forgets the records before `sequence`. */
  purge(sequence: number): Promise<void>;
  /** Bytes of the largest record that it takes. */
  largestRecord(): number;
  close(): Promise<void>;
};
