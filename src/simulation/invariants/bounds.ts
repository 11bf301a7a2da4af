/**
 * The queues of a node have bounds that follow from its channels, and the actors of a payment end with the payment:
 * nothing grows with the number of payments.
 */

import { getOrMake } from '../../basics/get-or-make.ts';
import { type Hash, isHexOf } from '../../basics/hex.ts';
import { MAX_PENDING_LOCKS } from '../../protocol/channel/lock.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Ledger } from './money/ledger.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts & Ledger, 'isHeld' | 'machine'>;
/** What one node has on its disk, by the keys of the rows. */
type Held = {
  outbox: Set<string>;
  /** Those messages among them that carry a nonce. */
  proofs: Set<string>;
  jobs: Set<string>;
  actors: Set<string>;
  channels: number;
};

/** The kinds of actors that take part in a payment; their ids go on with the secrethash. */
const ROLES = new Set(['initiator', 'mediator', 'target', 'keeper']);
/** The most messages that wait for one lock: about the lock itself, its secret and its end. */
const PER_LOCK = 4;
/** Messages with proofs after which a silent partner gets no further lock, and the ends of those that it has. */
const PROOFS = 480 + MAX_PENDING_LOCKS;
/** The most pending locks of both sides. */
const LOCKS = 2 * MAX_PENDING_LOCKS;
/** Messages and jobs of a channel besides its locks: withdrawals, deposits and its end. */
const PER_CHANNEL = 64;
/** Jobs and actors that belong to no channel. */
const OTHERS = 64;

export function createBounds({ machine, isHeld }: Needs): Oracle {
  const machines = new Map<string, Held>();

  function heldBy(who: string): Held {
    return getOrMake(machines, who, () => ({
      outbox: new Set(),
      proofs: new Set(),
      jobs: new Set(),
      actors: new Set(),
      channels: 0,
    }));
  }

  function note(held: Held, batch: Batch) {
    for (const { key, nonce } of batch.outbox) {
      held.outbox.add(key);
      if (nonce !== null) held.proofs.add(key);
    }
    for (const key of batch.outboxDone) {
      held.outbox.delete(key);
      held.proofs.delete(key);
    }
    for (const { key } of batch.jobs) held.jobs.add(key);
    for (const key of batch.jobsDone) held.jobs.delete(key);
    for (const { id } of batch.actors) if (secrethashIn(id) !== null) held.actors.add(id);
    for (const id of batch.retired) held.actors.delete(id);
    held.channels += batch.channels.length;
  }

  function check(who: string, { outbox, proofs, jobs, actors, channels }: Held) {
    const locks = LOCKS * channels;
    const others = PER_CHANNEL * channels + OTHERS;
    const wrong =
      (outbox.size > PER_LOCK * locks + others && `${outbox.size} messages wait`) ||
      (proofs.size > PROOFS * channels + others && `${proofs.size} proofs wait`) ||
      (jobs.size > locks + others && `${jobs.size} transactions wait`) ||
      (actors.size > 2 * locks + others && `${actors.size} payments are under way`);
    if (wrong) throw new Violation(32, who, `${wrong} in ${who}, which has ${channels} channels`);
  }

  /** No actor of a payment is left when its lock is gone. */
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

/** The secrethash in an actor's id; null: the actor takes part in no payment. */
function secrethashIn(id: string): Hash | null {
  const [role = '', secrethash] = id.split(':', 2);
  return ROLES.has(role) && isHexOf(secrethash, 32) ? secrethash : null;
}
