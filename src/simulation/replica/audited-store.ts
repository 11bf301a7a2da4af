/** The store of a replicated machine, whose batches the audit hears of. */
import type { SignedTransaction } from '../../protocol/signed-transaction.ts';
import { decodePosition } from '../../replica/position.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { Replica } from '../../store/durability/replication.ts';
import type { Store } from '../../store/store.ts';
import type { Disk } from '../disk/disk.ts';
import type { Process } from '../node/process.ts';
import { Death } from '../world/death.ts';
import type { Audit } from './audit.ts';

type Options = {
  name: string;
  disk: Disk;
  stamp: Stamp;
  audit: Audit;
  process: Process;
  replica: Replica;
  /** A batch with this tag was written, and is not carried out. */
  onWritten(tag: string): void;
};

export function auditedStore(options: Options): Store {
  const { name, disk, stamp, audit, process, replica, onWritten } = options;
  let batch: Batch | null = null;
  let nonce: number | null = null;
  const store = disk.open(stamp, {
    seal(writes) {
      const place = replica.seal(writes);
      const { tag } = decodePosition(place).at;
      if (batch !== null) {
        audit.sealed(name, tag, batch);
        onWritten(tag);
      }
      if (nonce !== null) audit.signed(tag, nonce);
      return place;
    },
    committed: replica.committed,
    isWaitedFor: replica.isWaitedFor,
    whenAcknowledged: (done) => replica.whenAcknowledged(() => alive(process, done)),
  });
  audit.begins(name, store);
  const { transactions } = store;
  const signed = (write: (row: SignedTransaction) => void) => (row: SignedTransaction) => {
    nonce = row.nonce;
    write(row);
    nonce = null;
  };
  return {
    ...store,
    transactions: {
      ...transactions,
      save: signed(transactions.save),
      replace: signed(transactions.replace),
    },
    commit(given) {
      batch = given;
      store.commit(given);
      batch = null;
    },
  };
}

/** Does work of a process that lives; it may die in the middle. */
function alive(process: Process, work: () => void) {
  if (!process.isAlive()) return;
  try {
    work();
  } catch (error) {
    if (!(error instanceof Death)) throw error;
  }
}
