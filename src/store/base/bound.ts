/**
 * Statements that Drizzle writes and this program binds: the SQL, the order of the parameters and the columns' encoders
 * are Drizzle's, worked out once instead of at each call. A commit calls some of them hundreds of times.
 */
import { is, Param, Placeholder } from 'drizzle-orm';
import type Libsql from 'libsql';
import type { Connection } from './connection.ts';

type Query = { toSQL(): { sql: string; params: unknown[] } };
type Values = Readonly<Record<string, unknown>>;
type Binder = (values: Values) => unknown;

/** Calls the statement with a value for each of its placeholders. Throws when one is missing, as Drizzle does. */
export function bound(connection: Connection, query: Query): (values: Values) => Libsql.RunResult {
  const { statement, bind } = prepared(connection, query);
  return (values) => statement.run(bind(values));
}

/** Asks whether the query finds any row. Throws like `bound`. */
export function boundQuestion(connection: Connection, query: Query): (values: Values) => boolean {
  const { statement, bind } = prepared(connection, query);
  return (values) => statement.get(bind(values)) !== undefined;
}

/** Asks for one number; null when the query finds no row. Throws like `bound`. */
export function boundNumber(
  connection: Connection,
  query: Query,
): (values: Values) => number | null {
  const { statement, bind } = prepared(connection, query);
  statement.raw();
  return (values) => {
    const row: unknown = statement.get(bind(values));
    const found: unknown = Array.isArray(row) ? row[0] : null;
    return typeof found === 'number' ? found : null;
  };
}

/** `bind` makes one list of values: from several arguments the driver makes one, which takes longer than to bind it. */
function prepared({ prepare }: Connection, query: Query) {
  const { sql, params } = query.toSQL();
  const binders = params.map(binderOf);
  const bind = (values: Values) => binders.map((binder) => binder(values));
  return { statement: prepare(sql), bind };
}

function binderOf(param: unknown): Binder {
  if (is(param, Placeholder)) return named(param.name);
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
  const value = named(param.value.name);
  const { encoder } = param;
  return (values) => {
    const given = value(values);
    return given === null ? null : encoder.mapToDriverValue(given);
  };
}

function named(name: string): Binder {
  return (values) => {
    const value = values[name];
    if (value === undefined) throw new Error(`store: no value for ${name}`);
    return value;
  };
}
