/** Drizzle's synchronous driver names its types after this package; at run time it gets libsql's. */
declare module 'better-sqlite3' {
  import type Libsql from 'libsql';

  export type Statement = {
    run(...params: unknown[]): Libsql.RunResult;
    get(...params: unknown[]): unknown;
    all(...params: unknown[]): unknown[];
    /** From now on rows are lists of their values. */
    raw(): Statement;
  };
  export type Database = { prepare(sql: string): Statement };
  export type RunResult = Libsql.RunResult;
  export type Options = Libsql.Options;
}
