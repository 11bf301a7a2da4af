/** What a node has written, all of a batch or nothing. It outlives the process that wrote it. */
import type { RecordMediated, RecordPayment, RecordProof } from '../../machines/effects.ts';
import { actorsOf } from '../../src/node/secrethashes.ts';
import type { Hash, Hex } from '../../src/protocol/hex.ts';
import type { ActorRow, Batch, JobRow, JournalRow, OutboxRow } from '../../src/store/batch.ts';
import { contradictionIn } from '../../src/store/contradictions.ts';
import type { JournalEntry } from '../../src/store/journal.ts';

export type Disk = ReturnType<typeof createDisk>;
/** Few, so that what replays begin with is cut off often. */
export const JOURNAL_LIMIT = 120;

type Side = RecordProof['side'];

export function createDisk() {
  const actors = new Map<string, ActorRow>();
  const ended = new Set<string>();
  const registered = new Map<Hash, { block: bigint }>();
  const outbox = new Map<string, OutboxRow>();
  const jobs = new Map<string, JobRow>();
  const proofs = new Map<string, RecordProof>();
  const payments: RecordPayment[] = [];
  const mediations: RecordMediated[] = [];
  const alarms: string[] = [];
  const journal: JournalEntry[] = [];
  let cursor = 0n;
  let commits = 0;

  function keep(rows: readonly JournalRow[]) {
    const first = (journal.at(-1)?.seq ?? 0) + 1;
    commits += 1;
    for (const [index, { causedBy, ...row }] of rows.entries()) {
      const causeSeq = causedBy === null ? null : first + causedBy;
      journal.push({ ...row, seq: first + index, commit: commits, causeSeq });
    }
    journal.splice(0, journal.length - JOURNAL_LIMIT);
  }

  const proofKey = (channel: string, side: Side, nonce: bigint) => `${channel}:${side}:${nonce}`;
  const stepsOf = (channel: string, side: Side) =>
    [...proofs.values()].filter((proof) => proof.channel === channel && proof.side === side);

  return {
    commit(batch: Batch) {
      const contradiction = contradictionIn(batch);
      if (contradiction !== null) throw new Error(`disk: a batch in which ${contradiction}`);
      for (const proof of batch.proofs) {
        const key = proofKey(proof.channel, proof.side, proof.nonce);
        if (proofs.has(key)) throw new Error(`disk: a second step ${key}`);
        proofs.set(key, proof);
      }
      for (const row of batch.actors) actors.set(row.id, row);
      for (const id of batch.retired) {
        actors.delete(id);
        if (!id.startsWith('keeper:')) ended.add(id);
      }
      for (const id of batch.ended) ended.add(id);
      for (const { secrethash, block } of batch.registered) registered.set(secrethash, { block });
      for (const row of batch.outbox) outbox.set(row.key, row);
      for (const key of batch.outboxDone) outbox.delete(key);
      for (const row of batch.jobs) jobs.set(row.key, row);
      for (const key of batch.jobsDone) jobs.delete(key);
      payments.push(...batch.payments);
      mediations.push(...batch.mediations);
      alarms.push(...batch.alarms.map(({ detail }) => detail));
      cursor = batch.cursor?.block ?? cursor;
      keep(batch.journal);
    },
    loadActors: () => [...actors.values()],
    loadOutbox: () => [...outbox.values()],
    loadJobs: () => [...jobs.values()],
    hasEnded: (id: string) => ended.has(id),
    registeredSecret: (secrethash: Hash) => registered.get(secrethash) ?? null,
    isSecrethashUsed: (secrethash: Hash) => actorsOf(secrethash).some((id) => ended.has(id)),
    cursor: () => cursor,
    payments: (): readonly RecordPayment[] => payments,
    /** Transfers that were passed on. */
    mediations: (): readonly RecordMediated[] => mediations,
    alarms: (): readonly string[] => alarms,
    journal: (): readonly JournalEntry[] => journal,
    outboxSize: () => outbox.size,
    proof: (channel: string, side: Side, nonce: bigint) =>
      proofs.get(proofKey(channel, side, nonce)) ?? null,
    /** The partner's signed steps, the oldest first. */
    partnerProofs: (channel: string) => stepsOf(channel, 'partner'),
    findProof: (channel: string, side: Side, hash: Hash) =>
      stepsOf(channel, side).findLast((proof) => proof.balanceHash === hash) ?? null,
    /** The locks that were pending after the step with this nonce, in order. */
    locksAt(channel: string, side: Side, nonce: bigint): Hex[] {
      const locks = new Map<Hash, Hex>();
      for (const { change, nonce: step } of stepsOf(channel, side)) {
        if (change === null || step > nonce) continue;
        if (change.kind === 'add') locks.set(change.secrethash, change.lock);
        else locks.delete(change.secrethash);
      }
      return [...locks.values()];
    },
  };
}
