/**
 * Calls of the API that may be repeated under a key. The key is written in the commit that begins the work, and what
 * became of it in the commit that decides it: whatever survives of the work, what is known of the key survives with it.
 */
import type { Reply } from '../../../../machines/effects.ts';
import type { Batch, CallRow, KeyedCall } from '../../../store/base/batch.ts';
import type { Store } from '../../../store/store.ts';
import type { StoredCall } from '../../../store/tables/calls.ts';

/** One call that may change something, from its arrival to its answer. */
export type Call = {
  /** Null: the caller gave no key. */
  keyed: KeyedCall | null;
  /** What may have begun for it, known as soon as it was asked for; null: nothing. */
  begun: Begun | null;
};
/** `paymentId`: the identifier of the payment; null: it is no payment. */
export type Begun = { paymentId: bigint | null };
export type Calls = ReturnType<typeof createCalls>;

type Options = {
  store: Pick<Store, 'callsUnderWay' | 'findCall' | 'countCalls'>;
  /** The codec's text of what the caller is answered, in the state of this very turn. */
  textOf(reply: Reply): string;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
};

/** Most calls of one caller that are kept: a gigabyte at most. */
const MOST_CALLS = 1_000_000;
/** Milliseconds between two looks at how many were forgotten since, for a caller that has no place left. */
const COUNT_PAUSE_MS = 60_000;

const nameOf = ({ caller, key }: Pick<KeyedCall, 'caller' | 'key'>) => `${caller} ${key}`;

/** `most`: calls of one caller that are kept. */
export function createCalls({ store, textOf, elapsed }: Options, most = MOST_CALLS) {
  /** Those under way, and those that ended in a commit that is not on disk yet. */
  const recent = new Map<string, StoredCall>();
  /** The names in `recent` of the calls under way, by the request that is to be answered. */
  const waiting = new Map<string, string[]>();
  const counts = new Map<string, { calls: number; time: number }>();
  for (const call of store.callsUnderWay()) note(call);

  function note(call: StoredCall): void {
    const name = nameOf(call);
    recent.set(name, call);
    waiting.set(call.request, [...(waiting.get(call.request) ?? []), name]);
  }

  function countOf(caller: KeyedCall['caller']) {
    const time = elapsed();
    const known = counts.get(caller);
    const isFull = known !== undefined && known.calls >= most;
    if (known !== undefined && !(isFull && time - known.time >= COUNT_PAUSE_MS)) return known;
    const counted = { calls: store.countCalls(caller), time };
    counts.set(caller, counted);
    return counted;
  }

  function dropRefused(name: string): void {
    const call = recent.get(name);
    recent.delete(name);
    if (call !== undefined) countOf(call.caller).calls -= 1;
  }

  const find = (keyed: KeyedCall): StoredCall | null =>
    recent.get(nameOf(keyed)) ?? store.findCall(keyed);

  return {
    /** Whether the caller may have no call with a new key now. */
    isFull: ({ caller }: KeyedCall): boolean => countOf(caller).calls >= most,
    /** What is known of an earlier call with this key; null: none has begun anything. */
    find,
    /** Called in the turn that begins the work of a call, or in which it joins work that is under way. */
    begin(batch: Pick<Batch, 'calls'>, row: CallRow): void {
      if (find(row) !== null) throw new Error('something was begun under this key before');
      countOf(row.caller).calls += 1;
      batch.calls.push(row);
      note({ ...row, answer: null });
    },
    /**
     * Called in the turn in which a request is answered. `isAtOnce`: in the turn that asked: if it was refused, nothing has
     * begun, and the same call is judged anew.
     */
    end(batch: Pick<Batch, 'calls' | 'callsEnded'>, reply: Reply, isAtOnce: boolean): void {
      const names = waiting.get(reply.requestId);
      if (names === undefined) return;
      waiting.delete(reply.requestId);
      if (isAtOnce && reply.type === 'reply.error') {
        batch.calls = batch.calls.filter(({ request }) => request !== reply.requestId);
        for (const name of names) dropRefused(name);
        return;
      }
      const answer = textOf(reply);
      for (const name of names) {
        const call = recent.get(name);
        if (call === undefined) continue;
        recent.set(name, { ...call, answer });
        batch.callsEnded.push({ caller: call.caller, key: call.key, answer });
      }
    },
    /** Called when a commit is on disk: the store answers for what ended in it. */
    forget({ callsEnded }: Pick<Batch, 'callsEnded'>): void {
      for (const call of callsEnded) recent.delete(nameOf(call));
    },
  };
}
