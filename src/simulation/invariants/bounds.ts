/**
 * What waits in a node has bounds that follow from its channels, and who took part in a payment is gone when
 * the payment is: nothing grows with the number of payments.
 */
import { type Hash, isHexOf } from '../../protocol/hex.ts';
import { MAX_PENDING_LOCKS } from '../../protocol/lock.ts';
import type { Batch } from '../../store/batch.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'machine'> & {
  /** Whether the machine holds a lock with this secrethash, of either side of a channel that is there. */
  isHeld(who: string, secrethash: Hash): boolean;
};
/** What one machine has on its disk, by the keys of the rows. */
type Held = {
  outbox: Set<string>;
  jobs: Set<string>;
  actors: Set<string>;
  channels: number;
};

/** Who takes part in a payment; in their names the secrethash comes next. */
const ROLES = new Set(['initiator', 'mediator', 'target', 'keeper']);
/** Messages that wait for one lock: about the lock itself, its secret and its end. */
const PER_LOCK = 4;
/** Of both sides. */
const LOCKS = 2 * MAX_PENDING_LOCKS;
/** Messages and jobs of a channel besides its locks: withdrawals, deposits and its end. */
const PER_CHANNEL = 64;
/** Jobs and actors that belong to no channel. */
const OTHERS = 64;

export function createBounds({ machine, isHeld }: Needs): Oracle {
  const machines = new Map<string, Held>();

  function heldBy(who: string): Held {
    const known = machines.get(who) ?? {
      outbox: new Set(),
      jobs: new Set(),
      actors: new Set(),
      channels: 0,
    };
    machines.set(who, known);
    return known;
  }

  function note(held: Held, batch: Batch) {
    for (const { key } of batch.outbox) held.outbox.add(key);
    for (const key of batch.outboxDone) held.outbox.delete(key);
    for (const { key } of batch.jobs) held.jobs.add(key);
    for (const key of batch.jobsDone) held.jobs.delete(key);
    for (const { id } of batch.actors) if (secrethashIn(id) !== null) held.actors.add(id);
    for (const id of batch.retired) held.actors.delete(id);
    held.channels += batch.channels.length;
  }

  function check(who: string, { outbox, jobs, actors, channels }: Held) {
    const locks = LOCKS * channels;
    const others = PER_CHANNEL * channels + OTHERS;
    const wrong =
      (outbox.size > PER_LOCK * locks + others && `${outbox.size} messages wait`) ||
      (jobs.size > locks + others && `${jobs.size} transactions wait`) ||
      (actors.size > 2 * locks + others && `${actors.size} payments are under way`);
    if (wrong) throw new Violation(32, who, `${wrong} in ${who}, which has ${channels} channels`);
  }

  /** Of what is over nothing is left. */
  function checkLeft(who: string, { actors }: Held) {
    for (const id of actors) {
      const secrethash = secrethashIn(id);
      if (secrethash === null || isHeld(who, secrethash)) continue;
      throw new Violation(32, who, `${who} keeps ${id}, of which no lock is left`);
    }
  }

  return {
    commit(who, batch) {
      const held = heldBy(who);
      note(held, batch);
      check(who, held);
    },
    end() {
      for (const [who, held] of machines) if (machine(who)?.isFit) checkLeft(who, held);
    },
  };
}

/** Null: the actor takes part in no payment. */
function secrethashIn(id: string): Hash | null {
  const [role = '', secrethash] = id.split(':', 2);
  return ROLES.has(role) && isHexOf(secrethash, 32) ? secrethash : null;
}
