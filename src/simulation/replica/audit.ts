/**
 * Reads each record that a stream takes, at that moment: what the node with this key has done, whichever of its
 * machines did it, is what is in its stream. What leaves a machine before is a violation.
 */

import type { Hash } from '../../basics/hex.ts';
import type { StreamPoint } from '../../replica/position.ts';
import { createRecordReader } from '../../replica/reader.ts';
import { NO_LINK, type RecordKeys, tagOf } from '../../replica/record.ts';
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
  /** Milliseconds since 1970 in the simulated world. */
  now(): number;
  /** The stream has the batch, and so it has happened. */
  onBatch(batch: Batch): void;
  onViolation(violation: Violation): void;
};

export function createAudit({ name, keys, now, onBatch, onViolation }: Options) {
  const reader = createRecordReader(keys, ORIGIN);
  /** The batches of transactions that were sealed, by the tag of their last record. */
  const sealed = new Map<string, { machine: string; batch: Batch }>();
  /** The nonces of signed transactions that were sealed. */
  const signed = new Map<string, number>();
  const taken = new Set<string>();
  const sendings = createSendings();
  const rows = { actors: new Map<string, string>(), outbox: new Set<string>() };
  let owner: string | null = null;
  let ownedSince = 0;
  /** The machine that says something at this very moment. */
  let speaking: string | null = null;

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
    sealed(machine: string, tag: string, batch: Batch): void {
      sealed.set(tag, { machine, batch });
    },
    /** A machine has sealed a signed transaction with this nonce. */
    signed: (tag: string, nonce: number) => void signed.set(tag, nonce),
    /** The stream has one record more. */
    taken(sequence: number, bytes: Uint8Array): void {
      const { machine = null, batch = null } = sealed.get(tagOf(bytes)) ?? {};
      if (machine !== null && machine !== owner) {
        violated(19, `the stream takes what ${machine} writes after ${owner} has taken its place`);
        return;
      }
      const read = reader.read(sequence, bytes);
      if (!read.ok) {
        violated(20, `the stream takes what nobody can read: ${read.message}`);
        return;
      }
      const { tag } = reader.at();
      taken.add(tag);
      if (read.step.type === 'epoch') {
        owner = read.step.owner.host;
        ownedSince = now();
      }
      const nonce = signed.get(tag);
      if (nonce !== undefined) sendings.records(nonce);
      if (batch === null) return;
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
    /** A machine sends a payload, which is done by `work`. */
    says(machine: string, work: () => void): void {
      speaking = machine;
      work();
      speaking = null;
    },
    /** Who is saying something after another machine has taken its place, and so many milliseconds later; null: nobody. */
    lateSpeaker: () =>
      speaking === null || speaking === owner ? null : { speaking, ms: now() - ownedSince },
  };
}
