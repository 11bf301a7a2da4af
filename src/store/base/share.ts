/**
 * How many rows of a kind are as much work as one step that is deleted, of which one page of the log has thirty. Slices
 * are told in those, so that their time, and what they write to the log, is about the same for all kinds.
 */
const WORTH = {
  /** A payment that is deleted: its secrethash is stored, and what the feed says of it. */
  spent: 16,
  /** A call, which is in three indexes, or a redemption. */
  call: 16,
  /** A page that is moved, and those that refer to it. */
  page: 32,
};

/** At least one row of the kind. */
export const shareOf = (rows: number, kind: keyof typeof WORTH): number =>
  Math.max(1, Math.floor(rows / WORTH[kind]));
