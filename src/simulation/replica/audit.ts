/**
 * Reads each record that a stream takes, at that moment: what the node with this key has done, whichever of its
 * machines did it, is what is in its stream. What leaves a machine before is a violation.
 */

import type { Hash } from '../../basics/hex.ts';
import type { StreamPoint } from '../../replica/position.ts';
import { createRecordReader } from '../../replica/reader.ts';
import { NO_LINK, type RecordKeys } from '../../replica/record.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Store } from '../../store/store.ts';
import { Violation } from '../invariants/violation.ts';
import { createSendings } from './sendings.ts';

/** The place before the first record. */
export const ORIGIN: StreamPoint = { sequence: 0, tag: Buffer.from(NO_LINK).toString('hex') };

export type Audit = ReturnType<typeof createAudit>;
type Options = {
  /** Of the node. */
  name: string;
  keys: RecordKeys;
  /** The stream has the batch, and so it has happened. */
  onBatch(batch: Batch): void;
  onViolation(violation: Violation): void;
};

export function createAudit({ name, keys, onBatch, onViolation }: Options) {
  const reader = createRecordReader(keys, ORIGIN);
  /** The batches of transactions that were sealed, by the tag of their last record. */
  const sealed = new Map<string, Batch>();
  /** The nonces of signed transactions that were sealed. */
  const signed = new Map<string, number>();
  const taken = new Set<string>();
  const sendings = createSendings();
  const rows = { actors: new Map<string, string>(), outbox: new Set<string>() };
  let owner: string | null = null;

  function note({ actors, retired, outbox, outboxDone }: Batch) {
    for (const { id, state } of actors) rows.actors.set(id, state);
    for (const id of retired) rows.actors.delete(id);
    for (const { key } of outbox) rows.outbox.add(key);
    for (const key of outboxDone) rows.outbox.delete(key);
  }

  function violated(invariant: number, text: string) {
    onViolation(new Violation(invariant, name, text));
  }

  return {
    /** A machine has sealed this batch; the stream does not have it. */
    sealed(tag: string, batch: Batch): void {
      sealed.set(tag, batch);
    },
    /** A machine has sealed a signed transaction with this nonce. */
    signed: (tag: string, nonce: number) => void signed.set(tag, nonce),
    /** The stream has one record more. */
    taken(sequence: number, bytes: Uint8Array): void {
      const read = reader.read(sequence, bytes);
      if (!read.ok) {
        violated(20, `the stream takes what nobody can read: ${read.message}`);
        return;
      }
      const { tag } = reader.at();
      taken.add(tag);
      if (read.step.type === 'epoch') owner = read.step.owner.host;
      const nonce = signed.get(tag);
      if (nonce !== undefined) sendings.records(nonce);
      const batch = read.step.type === 'transaction' ? sealed.get(tag) : undefined;
      if (batch === undefined) return;
      note(batch);
      onBatch(batch);
    },
    /** A machine carries out the batch with this tag. */
    performs(machine: string, tag: string | undefined): void {
      if (tag === undefined || !taken.has(tag))
        violated(19, `${machine} carries out what is not in its stream`);
    },
    /** A machine begins with this store: it has what is in the stream, and nothing else. */
    begins(machine: string, store: Pick<Store, 'loadActors' | 'loadOutbox'>): void {
      const actors = store.loadActors();
      const other = actors.find(({ id, state }) => rows.actors.get(id) !== state);
      if (other !== undefined) violated(20, `${machine} has an ${other.id} that no record has`);
      if (actors.length < rows.actors.size) violated(20, `${machine} lacks actors of its stream`);
      const outbox = store.loadOutbox();
      if (outbox.length !== rows.outbox.size || outbox.some(({ key }) => !rows.outbox.has(key)))
        violated(20, `${machine} has other messages to send than its stream says`);
    },
    /** A machine cannot take over with what is on its disk. */
    unfit(machine: string, why: string): void {
      violated(20, `${machine} cannot go on from what it has read: ${why}`);
    },
    /** A machine with this disk gives a transaction to its endpoint. */
    sends: (machine: string, disk: object, hash: Hash) =>
      sendings.sends(hash, disk, machine === owner),
    couldNotKnow: sendings.couldNotKnow,
    /** The machine whose epoch is the newest; null before the first. */
    owner: () => owner,
  };
}
