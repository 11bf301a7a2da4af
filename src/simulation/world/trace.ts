/** A fingerprint of everything that happened in a run: two runs that differ anywhere have different ones. */
import { createHash } from 'node:crypto';
import type { Hash } from '../../basics/hex.ts';

export type Trace = {
  /** Notes something that happens now: who, what, and its content if it has any. */
  note(who: string, what: string, content?: Uint8Array | string): void;
  /** The hash of everything up to now; may be called at any time. */
  hash(): Hash;
  /** The newest notes, oldest first, for people. */
  latest(): readonly string[];
};

const KEPT = 400;

type Note = { at: number; who: string; what: string };

/** `onNote` is called with every note. */
export function createTrace(now: () => number, onNote: (note: Note) => void = () => {}): Trace {
  const hash = createHash('sha256');
  const ring: Note[] = [];
  let notes = 0;

  return {
    note(who, what, content) {
      const at = now();
      hash.update(`${at} ${who} ${what}\n`);
      if (content !== undefined) hash.update(content);
      const note = { at, who, what };
      ring[notes % KEPT] = note;
      onNote(note);
      notes += 1;
    },
    hash: (): Hash => `0x${hash.copy().digest('hex')}`,
    latest() {
      const first = notes % KEPT;
      const ordered = notes < KEPT ? ring : [...ring.slice(first), ...ring.slice(0, first)];
      return ordered.map(({ at, who, what }) => `${at} ${who} ${what}`);
    },
  };
}
