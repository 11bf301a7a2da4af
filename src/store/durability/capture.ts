/** What transactions write, statement by statement, so that a copy of the database elsewhere can do the same. */

/** One statement that was run, with its parameters: texts, numbers, bigints, bytes and null. */
export type Write = { sql: string; params: readonly unknown[] };

export type Capture = {
  /** From now on each statement that is run is kept. What was kept before is forgotten. */
  begin(): void;
  /** What was run since `begin`; nothing is kept any more. */
  end(): Write[];
  /** The connection tells it of each statement that is run. */
  note(write: Write): void;
};

/** Only `run` writes in this program: what is asked with `get` and `all` is not kept. */
export function createCapture(): Capture {
  let writes: Write[] | null = null;
  return {
    begin() {
      writes = [];
    },
    end() {
      const kept = writes ?? [];
      writes = null;
      return kept;
    },
    note(write) {
      writes?.push(write);
    },
  };
}
