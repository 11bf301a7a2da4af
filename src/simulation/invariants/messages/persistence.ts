/**
 * What waits in an outbox is said again in time (docs/messages.md): in a channel the oldest message at least every 30
 * seconds; what belongs to no channel as well, or after an eighth of its age.
 */
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'machine' | 'undisturbedSince'> & {
  /** The present time in seconds since 1970. */
  seconds(): number;
};
/** A message on a disk; the times are seconds since 1970. */
type Waiting = {
  queue: string | null;
  recipient: Address;
  messageId: bigint;
  since: number;
  saidAt: number;
};

const LONGEST_PAUSE = 30;
const AGE_PART = 8;
/** Seconds that a node may take besides, and blocks that it must have had for it. */
const SLACK = 30;
const LEAST_BLOCKS = 3n;

export function createPersistence(needs: Needs): Oracle {
  const { head, machine, seconds, undisturbedSince } = needs;
  const machines = new Map<string, Map<string, Waiting>>();
  const keys = new Map<string, string>();
  /** When the oldest message of a channel ended, by node and channel: each answer begins the pause anew. */
  const moved = new Map<string, number>();
  let times: { block: bigint; second: number }[] = [];

  const idOf = (who: string, to: Address, messageId: bigint) => `${who} ${to} ${messageId}`;

  function drop(who: string, known: Map<string, Waiting>, key: string) {
    const one = known.get(key);
    if (one !== undefined) keys.delete(idOf(who, one.recipient, one.messageId));
    known.delete(key);
  }

  function note(who: string, { outbox, outboxDone }: Batch) {
    const known = getOrMake(machines, who, () => new Map<string, Waiting>());
    const now = seconds();
    for (const { key, queue, recipient, messageId } of outbox) {
      drop(who, known, key);
      known.set(key, { queue, recipient, messageId, since: now, saidAt: now });
      keys.set(idOf(who, recipient, messageId), key);
    }
    for (const key of outboxDone) {
      moved.set(`${who} ${known.get(key)?.queue}`, now);
      drop(who, known, key);
    }
  }

  /** The oldest message of each channel, and all that belong to none. */
  function* dueIn(known: Map<string, Waiting>): Generator<[string, Waiting]> {
    const queues = new Set<string>();
    for (const [key, one] of known) {
      if (one.queue !== null && queues.has(one.queue)) continue;
      if (one.queue !== null) queues.add(one.queue);
      yield [key, one];
    }
  }

  function check(who: string, known: Map<string, Waiting>, quiet: number) {
    const now = seconds();
    for (const [key, { queue, since, saidAt, recipient }] of dueIn(known)) {
      const begin = Math.max(saidAt, quiet, moved.get(`${who} ${queue ?? key}`) ?? 0);
      const pause =
        queue === null ? Math.max(LONGEST_PAUSE, (now - since) / AGE_PART) : LONGEST_PAUSE;
      if (now - begin <= pause + SLACK) continue;
      const text = `${who} has not said ${key} to ${recipient} for ${now - saidAt} seconds`;
      throw new Violation(21, who, text);
    }
  }

  return {
    commit: note,
    says(who, to, message) {
      const key = 'messageId' in message ? keys.get(idOf(who, to, message.messageId)) : undefined;
      const one = key === undefined ? undefined : machines.get(who)?.get(key);
      if (one !== undefined) one.saidAt = seconds();
    },
    block() {
      const since = undisturbedSince();
      times.push({ block: head(), second: seconds() });
      if (since === null) times = times.slice(-1);
      const [first] = times;
      if (since === null || first === undefined || head() - since <= LEAST_BLOCKS) return;
      for (const [who, known] of machines)
        if (known.size > 0 && machine(who)?.isFit) check(who, known, first.second);
    },
  };
}
