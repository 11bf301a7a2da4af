import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { bound, boundQuestion } from '../../../src/store/base/bound.ts';
import { height, uint } from '../../../src/store/base/columns.ts';
import { connect } from '../../../src/store/base/connection.ts';

const things = sqliteTable('things', {
  id: text('id').primaryKey(),
  amount: uint('amount'),
  block: height('block'),
  count: integer('count').notNull(),
});
const at = sql.placeholder;
const all = { id: at('id'), amount: at('amount'), block: at('block'), count: 7 };

function table() {
  const connection = connect(':memory:');
  connection.client.exec(
    'CREATE TABLE things (id TEXT PRIMARY KEY, amount TEXT, block INTEGER, count INTEGER NOT NULL)',
  );
  return connection;
}

describe('a statement that is bound by hand', () => {
  it('writes what Drizzle writes, through the encoders of the columns', () => {
    const rows = [
      { id: 'large', amount: 2n ** 200n, block: 9n },
      { id: 'none', amount: 0n, block: 0n },
    ];
    const [byHand, byDrizzle] = [table(), table()];
    const insert = bound(byHand, byHand.db.insert(things).values(all));
    for (const row of rows) {
      insert(row);
      byDrizzle.db.insert(things).values(all).prepare().run(row);
    }
    const read = ({ client }: typeof byHand) => client.prepare('SELECT * FROM things').all();
    expect(read(byHand)).toEqual(read(byDrizzle));
    expect(byHand.db.select().from(things).all()).toEqual(
      rows.map((row) => ({ ...row, count: 7 })),
    );
  });

  it('writes null where a value is absent on purpose, and refuses one that was forgotten', () => {
    const connection = table();
    const insert = bound(connection, connection.db.insert(things).values(all));
    expect(insert({ id: 'a', amount: null, block: null }).changes).toBe(1);
    expect(connection.db.select().from(things).get()).toMatchObject({ amount: null, block: null });
    expect(() => insert({ id: 'b', amount: 1n })).toThrow('block');
  });

  it('refuses what a column refuses', () => {
    const connection = table();
    const insert = bound(connection, connection.db.insert(things).values(all));
    expect(() => insert({ id: 'a', amount: -1n, block: 1n })).toThrow('negative');
  });

  it('says how many rows it changed', () => {
    const connection = table();
    const remove = bound(connection, connection.db.delete(things).where(eq(things.id, at('id'))));
    expect(remove({ id: 'nobody' }).changes).toBe(0);
  });

  it('says whether a query finds a row, and refuses one without a value', () => {
    const connection = table();
    const { db } = connection;
    bound(connection, db.insert(things).values(all))({ id: 'a', amount: 1n, block: 1n });
    const query = db
      .select({ id: things.id })
      .from(things)
      .where(eq(things.id, at('id')));
    const isThere = boundQuestion(connection, query);
    expect([isThere({ id: 'a' }), isThere({ id: 'b' })]).toEqual([true, false]);
    expect(() => isThere({})).toThrow('id');
  });
});
