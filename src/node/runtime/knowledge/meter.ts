/** Counts and times what happens, for people who watch many nodes. It changes nothing and never throws. */
import type { RecordMediated, RecordPayment, Tx } from '../../../../machines/effects.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Store } from '../../../store/store.ts';

/** Hears of each thing when it begins, and answers with a function that is called when it ends. */
export type Meter = {
  /** A commit, until it is on disk. */
  commit(): () => void;
  /** A payment that was asked for, until it is answered. */
  payment(): (isPaid: boolean) => void;
  /** A payment that is in the history from now on. */
  recorded(payment: RecordPayment): void;
  /** A transfer that was mediated: both its payer's and its payee's side are paid. */
  mediated(transfer: RecordMediated): void;
  /** `unknown`: refused before its type was known. */
  message(
    type: Message['type'] | 'unknown',
    direction: 'in' | 'out',
    result: 'ok' | 'refused',
  ): void;
  transaction(kind: Tx['type'], isDone: boolean): void;
  /** A reorganisation: the chain showed another block at a known height. */
  reorg(): void;
  /** Something impossible was found: the node stops. */
  violation(): void;
};

const nothing = () => {};
export const noMeter: Meter = {
  commit: () => nothing,
  payment: () => nothing,
  recorded: nothing,
  mediated: nothing,
  message: nothing,
  transaction: nothing,
  reorg: nothing,
  violation: nothing,
};

/** The store, with its commits reported to the meter; and what to call with each batch that is on disk. */
export function metered<S extends Pick<Store, 'commit'>>(meter: Meter, store: S) {
  const onTheWay: (() => void)[] = [];
  return {
    store: {
      ...store,
      commit(batch: Batch): void {
        onTheWay.push(meter.commit());
        store.commit(batch);
      },
    },
    onDurable({ payments, mediations }: Batch): void {
      onTheWay.shift()?.();
      for (const payment of payments) meter.recorded(payment);
      for (const transfer of mediations) meter.mediated(transfer);
    },
  };
}
