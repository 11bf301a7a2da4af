/** Makes the history of a node long, by writing its rows and closing its parts as the node itself does. */
import { atomically, connect } from '../../src/store/base/connection.ts';
import { openStoredHistory } from '../../src/store/history/stored-history.ts';

/** Rows of a part; in a node, those that a commit adds last come on top of it. */
const PART = 2_048;

type NewRow = { seq: number; secrethash: string };

/**
 * Copies the newest payment in the database until there are so many, each with a secrethash and an identifier of its own.
 * No process may have the database open.
 */
export function fillHistory(url: string, count: number): void {
  const connection = connect(url.replace(/^file:/, ''));
  const { client } = connection;
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = OFF');
  const columns = 'event, token, partner, amount, reason, time, channel, block';
  const copy = client.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO payments (seq, payment_id, secrethash, ${columns})
     SELECT ? + i, randomblob(8), randomblob(32), ${columns} FROM n,
     (SELECT * FROM payments ORDER BY seq DESC LIMIT 1)`,
  );
  const added = client.prepare(
    'SELECT seq, lower(hex(secrethash)) AS secrethash FROM payments WHERE seq > ?',
  );
  const history = openStoredHistory(connection);
  let newest = newestIn(client.prepare('SELECT max(seq) AS seq FROM payments').all());
  for (let left = count - history.parts.count(); left > 0; left -= PART) {
    atomically(client, () => {
      copy.run([Math.min(PART, left), newest]);
      for (const row of added.all([newest])) {
        if (!isNewRow(row)) throw new Error('a payment without a number');
        newest = row.seq;
        history.used.addPayment(`0x${row.secrethash}`, row.seq, false);
      }
    });
    history.used.settle(true);
    for (let isOpen = true; isOpen; ) {
      const before = history.parts.closedTo();
      atomically(client, () => history.close(newest));
      history.used.settle(true);
      isOpen = newest - history.parts.closedTo() >= PART && history.parts.closedTo() === before;
    }
  }
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
}

function isNewRow(row: unknown): row is NewRow {
  return typeof row === 'object' && row !== null && 'seq' in row && 'secrethash' in row;
}

function newestIn([row]: unknown[]): number {
  const seq = typeof row === 'object' && row !== null && 'seq' in row ? row.seq : null;
  if (typeof seq !== 'number') throw new Error('the history has no payment to copy');
  return seq;
}
