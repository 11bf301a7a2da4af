/**
 * The stamp of a database: the node that it belongs to. It is written at the first open and compared at each later
 * one: a node that reads another node's state would sign wrong balance proofs.
 */
import { randomUUID } from 'node:crypto';
import type { Address } from '../../basics/hex.ts';
import { atomically, type Connection } from './connection.ts';
import { type Meta, type MetaKey, prepareMeta } from './meta.ts';
import { isDraft, ownerOf, runMigrations, schemaVersion } from './migrate.ts';

export type Stamp = AnyStamp & { tokenNetworkRegistry: Address };
export type AnyStamp = {
  chainId: bigint;
  /** Absent: a program that knows the network by its node alone. */
  tokenNetworkRegistry?: Address;
  ownAddress: Address;
  /** The service whose database it is, and the folder of its migrations; absent: a node's. */
  service?: string;
};

export type StampProblem = 'foreign_file' | 'other_node' | 'newer_schema' | 'draft';
/** Why the database cannot be used by this node; `message` says what to do. */
export type StampRefusal = { problem: StampProblem; message: string };

const FOREIGN: StampRefusal = {
  problem: 'foreign_file',
  message: 'the file holds the tables of another program: choose another one',
};

const DRAFT: StampRefusal = {
  problem: 'draft',
  message:
    'the database was written by a draft of sluice, before its first release: choose a new one',
};

type Mark = { key: MetaKey; name: string; value: string; remedy: string };

function marksOf(stamp: AnyStamp): Mark[] {
  const { tokenNetworkRegistry: registry } = stamp;
  const remedy = 'give this node a database of its own, or start it';
  return [
    {
      key: 'chainId',
      name: 'chain id',
      value: stamp.chainId.toString(),
      remedy: `${remedy} with an RPC endpoint of that chain`,
    },
    ...(registry === undefined
      ? []
      : [
          {
            key: 'tokenNetworkRegistry' as const,
            name: 'token network registry',
            value: registry,
            remedy: `${remedy} with the contracts of that registry`,
          },
        ]),
    {
      key: 'ownAddress',
      name: 'node address',
      value: stamp.ownAddress,
      remedy: `${remedy} with the key of that address`,
    },
  ];
}

/** Why this node must not touch the database, or null. Changes nothing in it. */
export function stampRefusal(connection: Connection, stamp: AnyStamp): StampRefusal | null {
  const owner = ownerOf(connection);
  if (owner === 'nobody') return null;
  if (owner === 'others') return FOREIGN;
  return (
    compare(prepareMeta(connection), stamp) ?? (isDraft(connection, stamp.service) ? DRAFT : null)
  );
}

/** Brings the database to the newest schema and writes what its stamp lacks. */
export function upgrade(connection: Connection, stamp: AnyStamp): void {
  runMigrations(connection, stamp.service);
  const meta = prepareMeta(connection);
  atomically(connection.client, () => write(meta, stamp));
}

function compare(meta: Meta, stamp: AnyStamp): StampRefusal | null {
  // A first open that was cut off may have left the tables without a stamp.
  const isStamped = meta.get('chainId') !== null;
  if (isStamped && (meta.get('service') ?? '') !== (stamp.service ?? '')) return FOREIGN;
  const schema = Number(meta.get('schema') ?? '0');
  const known = schemaVersion(stamp.service);
  if (schema > known) {
    const message = `the database was written by a newer version (schema ${schema}, this one knows ${known}): install that version again`;
    return { problem: 'newer_schema', message };
  }
  for (const { key, name, value, remedy } of marksOf(stamp)) {
    const found = meta.get(key);
    if (found !== null && found !== value) {
      const message = `the database belongs to ${name} ${found}, not ${value}: ${remedy}`;
      return { problem: 'other_node', message };
    }
  }
  return null;
}

function write(meta: Meta, stamp: AnyStamp): void {
  meta.set('schema', schemaVersion(stamp.service).toString());
  if (stamp.service !== undefined) meta.set('service', stamp.service);
  for (const { key, value } of marksOf(stamp)) meta.set(key, value);
  if (meta.get('instance') === null) meta.set('instance', randomUUID());
}
