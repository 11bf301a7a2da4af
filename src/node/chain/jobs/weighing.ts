/**
 * Transactions that are weighed before they are sent: what is not worth its gas, or cannot be paid for now, waits here, and
 * is weighed again at later blocks. Nothing of it is in the account's queue, so that it costs nothing there, however much
 * strangers leave lying.
 */
import type { Tx } from '../../../../machines/effects.ts';
import type { ForcedRow } from '../../../store/base/batch.ts';
import { type Ledger, TOO_DEAR, type Waiting } from '../gas/ledger.ts';

/** A transaction that is not sent now, with the reason. */
export type Held = { tx: Tx; why: Waiting };

type Options = {
  ledger: Pick<Ledger, 'weigh' | 'charge' | 'gasOf' | 'mostGas'>;
  confirmedBlock(): bigint;
  /** Writes what was charged for a transaction. */
  record(rows: readonly ForcedRow[]): void;
  /** `isOrdered`: somebody has asked for it, whatever it is worth. */
  send(tx: Tx, isOrdered?: boolean): void;
  /** The transaction is not sent any more, for this reason. */
  giveUp(tx: Tx, detail: string): void;
};

const NOT_WANTED = 'nothing waits for it any more';
/** Most transactions that are weighed again at one block. */
const MOST_WEIGHED = 200;

export function createWeighing({ ledger, confirmedBlock, record, send, giveUp }: Options) {
  /** Those that wait; the one that was weighed last is the last. */
  const waiting = new Map<string, Held>();
  /** Gas of those that were let go and have not ended: it is not there twice. */
  const sending = new Map<string, bigint>();

  /** Sends the transaction if this node wants it now; else it waits. */
  function weigh(tx: Tx): void {
    const wasTooDear = waiting.get(tx.key)?.why === TOO_DEAR;
    const isTooDear = wasTooDear && ledger.mostGas(tx) !== undefined;
    waiting.delete(tx.key);
    const verdict = ledger.weigh(
      tx,
      [...sending.values()].reduce((sum, gas) => sum + gas, 0n),
    );
    const isLate = tx.deadlineBlock !== null && tx.deadlineBlock < confirmedBlock();
    const why = isTooDear || typeof verdict === 'string' ? TOO_DEAR : verdict.wait;
    if (verdict === 'over') giveUp(tx, NOT_WANTED);
    else if (verdict === 'send' && !isTooDear) letGo(tx);
    else if (isLate) giveUp(tx, `${why}, until it was too late`);
    else waiting.set(tx.key, { tx, why });
  }

  function letGo(tx: Tx): void {
    record(ledger.charge(tx));
    const gas = ledger.gasOf(tx);
    if (gas > 0n) sending.set(tx.key, gas);
    send(tx);
  }

  return {
    weigh,
    /**
     * The transaction would take more gas than a budget pays for: it waits for an order, or for the next start. What was
     * charged for it stays charged.
     */
    hold(tx: Tx): void {
      sending.delete(tx.key);
      waiting.set(tx.key, { tx, why: TOO_DEAR });
    },
    /** The transaction has ended. */
    ended: (key: string): void => void sending.delete(key),
    /** Weighs again those that were not looked at for longest. */
    weighAgain(): void {
      for (const { tx } of [...waiting.values()].slice(0, MOST_WEIGHED)) weigh(tx);
    },
    /**
     * The operator wants some of those that wait: they are sent without being weighed, and no budget pays for them. The
     * order is not on disk: what was not signed when the process dies waits again after the next start.
     */
    order(isWanted: (tx: Tx) => boolean): Held[] {
      const ordered = [...waiting.values()].filter(({ tx }) => isWanted(tx));
      for (const { tx } of ordered) {
        waiting.delete(tx.key);
        send(tx, true);
      }
      return ordered;
    },
    /** The transaction, if it waits; else null. */
    held: (key: string): Held | null => waiting.get(key) ?? null,
    size: () => waiting.size,
  };
}
