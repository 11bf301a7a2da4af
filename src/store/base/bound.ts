/**
 * Statements that Drizzle writes and this program binds: the SQL, the order of the parameters and the columns' encoders
 * are Drizzle's, worked out once instead of at each call. A commit calls some of them hundreds of times.
 */
import { Column, getTableColumns, is, Param, Placeholder, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type Libsql from 'libsql';
import { unhex } from './columns.ts';
import type { Connection } from './connection.ts';

type Query = { toSQL(): { sql: string; params: unknown[] } };
type Values = Readonly<Record<string, unknown>>;
type Run<V> = (values: V) => Libsql.RunResult;
type NameIn<T extends SQLiteTable> = keyof T['$inferInsert'] & string;
/** The columns with a value for each: one without a default has to be said, null too. */
type Row<T extends SQLiteTable, C extends NameIn<T>> = {
  readonly [K in C]-?: Exclude<T['$inferInsert'][K], undefined>;
};

/** Calls the statement with a value for each of its placeholders. Throws when one is missing, as Drizzle does. */
export function bound(connection: Connection, query: Query): Run<Values> {
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

/** Inserts a row of these columns. One whose key is taken fails, or changes nothing if `isOnce`. */
export function boundInsert<T extends SQLiteTable, C extends NameIn<T>>(
  connection: Connection,
  table: T,
  columns: readonly C[],
  clash?: { isOnce: boolean },
): Run<Row<T, C>>;
export function boundInsert(
  connection: Connection,
  table: SQLiteTable,
  columns: readonly string[],
  { isOnce } = { isOnce: false },
): Run<Values> {
  const insert = connection.db.insert(table).values(placesIn(table, columns));
  return bound(connection, isOnce ? insert.onConflictDoNothing() : insert);
}

/** Inserts a row, or writes the other columns of the row that has its key. */
export function boundUpsert<T extends SQLiteTable, K extends NameIn<T>, C extends NameIn<T>>(
  connection: Connection,
  table: T,
  key: readonly K[],
  others: readonly C[],
): Run<Row<T, K | C>>;
export function boundUpsert(
  connection: Connection,
  table: SQLiteTable,
  key: readonly string[],
  others: readonly string[],
): Run<Values> {
  const insert = connection.db.insert(table).values(placesIn(table, [...key, ...others]));
  const target = key.map((name) => columnOf(table, name));
  const set = others.map((name) => [name, sql.raw(`excluded.${columnOf(table, name).name}`)]);
  return bound(connection, insert.onConflictDoUpdate({ target, set: Object.fromEntries(set) }));
}

/** A placeholder for each column, under the column's own name. */
function placesIn(table: SQLiteTable, columns: readonly string[]) {
  const places = columns.map((name) => {
    const column = columnOf(table, name);
    return [name, column.getSQLType() === 'blob' ? unhex(name, column) : sql.placeholder(name)];
  });
  return Object.fromEntries(places);
}

function columnOf(table: SQLiteTable, name: string) {
  const column = getTableColumns(table)[name];
  if (column === undefined) throw new Error(`store: no column ${name}`);
  return column;
}

/** `bind` makes one list of values: from several arguments the driver makes one, which takes longer than to bind it. */
function prepared({ prepare }: Connection, query: Query) {
  const { sql, params } = query.toSQL();
  const places = params.map(placeOf);
  function bind(values: Values): unknown[] {
    const list = Array<unknown>(places.length);
    let at = 0;
    for (const { name, encoder, fixed } of places) {
      const value = name === null ? fixed : values[name];
      if (value === undefined) throw new Error(`store: no value for ${name}`);
      list[at++] = encoder === null || value === null ? value : encoder.mapToDriverValue(value);
    }
    return list;
  }
  return { statement: prepare(sql), bind };
}

/** Where a parameter comes from: the value of this name, or, with null, always the same. */
function placeOf(param: unknown) {
  if (is(param, Placeholder)) return { name: param.name, encoder: null, fixed: null };
  if (!is(param, Param) || !is(param.value, Placeholder))
    return { name: null, encoder: null, fixed: param };
  // Most columns take a value as it is.
  const isAsItIs = param.encoder.mapToDriverValue === Column.prototype.mapToDriverValue;
  return { name: param.value.name, encoder: isAsItIs ? null : param.encoder, fixed: null };
}
