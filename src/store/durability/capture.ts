/** What transactions write, statement by statement, so that a copy of the database elsewhere can do the same. */
import type Libsql from 'libsql';

/** One statement that was run, with its parameters: texts, numbers, bigints, bytes and null. */
export type Write = { sql: string; params: readonly unknown[] };

export type Capture = {
  /** From now on each statement that is run is kept. What was kept before is forgotten. */
  begin(): void;
  /** What was run since `begin`; nothing is kept any more. */
  end(): Write[];
};

/**
 * Captures what is run through statements that are prepared from now on. Only `run` writes in this program: what is
 * asked with `get` and `all` is not kept.
 */
export function captureOf(client: Libsql.Database): Capture {
  let writes: Write[] | null = null;
  const prepare = client.prepare.bind(client);
  const capturing = (sql: string) => {
    const statement = prepare(sql);
    const run = statement.run.bind(statement);
    const kept = (...given: unknown[]) => {
      // One list of values and several values mean the same to the driver.
      writes?.push({ sql, params: given.flat() });
      return run(...given);
    };
    return Object.defineProperty(statement, 'run', { value: kept });
  };
  Object.defineProperty(client, 'prepare', { value: capturing });
  return {
    begin() {
      writes = [];
    },
    end() {
      const kept = writes ?? [];
      writes = null;
      return kept;
    },
  };
}
