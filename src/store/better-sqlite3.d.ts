/** Drizzle's synchronous driver names its types after this package; at run time it gets libsql's. */
declare module 'better-sqlite3' {
  import type Libsql from 'libsql';

  export type Database = Libsql.Database;
  export type RunResult = Libsql.RunResult;
  export type Statement = Libsql.Statement;
  export type Options = Libsql.Options;
}
