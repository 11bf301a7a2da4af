/** Looks into a database file without changing anything in it, also while a node is writing it. */
import { existsSync } from 'node:fs';
import { type Connection, connect } from './base/connection.ts';
import { schemaVersion } from './base/migrate.ts';
import { type Stamp, stampRefusal } from './base/stamp.ts';
import { type DatabaseFacts, damageOf, factsOf } from './durability/facts.ts';
import { type Doubt, doubtOf } from './durability/high-water.ts';
import { isLocked } from './durability/lock.ts';

export type Inspection = {
  /** Whether a node has it open. */
  isInUse: boolean;
  /** Null in a file without tables yet. */
  facts: DatabaseFacts | null;
  /** The schema that this program writes. */
  schema: number;
  /** Why this node may not have it, or null. */
  refusal: string | null;
  damage: string[];
  doubt: Doubt | null;
};

/**
 * `highWater`: the file of the note (see high-water.ts). Null when there is no file at the path. Throws when the file
 * is no database.
 */
export function inspectDatabase(path: string, stamp: Stamp, highWater: string): Inspection | null {
  if (!existsSync(path)) return null;
  const isInUse = isLocked(`${path}.lock`);
  const connection = connect(path);
  try {
    connection.client.pragma('query_only = ON');
    return { isInUse, schema: schemaVersion(), ...look(connection, stamp, highWater) };
  } finally {
    connection.client.close();
  }
}

function look(connection: Connection, stamp: Stamp, highWater: string) {
  const refusal = stampRefusal(connection, stamp)?.message ?? null;
  return {
    facts: factsOf(connection),
    refusal,
    damage: damageOf(connection),
    doubt: refusal === null ? doubtOf(connection, highWater) : null,
  };
}
