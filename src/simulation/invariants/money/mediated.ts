/**
 * A mediator passes on exactly what its terms leave of a transfer, judged by both of its channels as they are at that very
 * moment: each change counts before the next one is judged, also of changes that share a message, or a commit. The journal
 * of the commit tells their order.
 */
import * as v from 'valibot';
import { type Hash, isHexOf } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { FeeTerms } from '../../../protocol/fees/fee-terms.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { JournalRow } from '../../../store/base/journal-block.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';
import { type ChannelSides, createSides } from './channel-sides.ts';
import { type FeeSide, passedOn } from './fee-model.ts';

/** What the node charges now; null: it is not of this run. */
type Needs = { termsOf(who: string): FeeTerms | null };
/** The lock of a payer; and for all terms that may have been those when it came, the sides of its channel. */
type Came = { amount: bigint; met: readonly { terms: FeeTerms; sides: readonly FeeSide[] }[] };
/** What a message of the partner has changed; `types`: as the message has it. */
type Taken = { changes: readonly Changed[]; types: readonly string[] };
/** `charged`: the terms when the node wrote before, and now: who knows when they changed. */
type Told = { who: string; charged: readonly FeeTerms[]; sides: ChannelSides };

/** Locks of payers that are remembered. */
const KEPT = 20_000;
const hash = v.custom<Hash>((given) => isHexOf(given, 32));
const UPDATE = v.looseObject({
  message: v.looseObject({
    nonce: v.bigint(),
    changes: v.array(v.looseObject({ type: v.string() })),
  }),
});
const OWN_CHANGE = v.looseObject({
  secrethash: hash,
  payer: v.optional(v.looseObject({ channel: v.string() })),
});
const KINDS: Readonly<Record<string, Changed['kind']>> = {
  'actor.addLock': 'add',
  'actor.forwardLock': 'add',
  'actor.unlock': 'pay',
  'actor.expireLock': 'expire',
};

export function createMediated({ termsOf }: Needs): Oracle {
  const payers = createRecent<Came>(KEPT);
  const sidesOf = createSides();
  const termsBefore = new Map<string, FeeTerms>();
  const keyOf = (who: string, channel: string, secrethash: Hash) =>
    `${who} ${channel} ${secrethash}`;

  /** The partner's changes are made, one after the other; each lock is remembered with what it meets. */
  function take({ who, charged, sides }: Told, actor: string, { changes, types }: Taken) {
    for (const [place, change] of changes.entries()) {
      const { kind, secrethash, lock } = change;
      sides.change(actor, change);
      if (kind !== 'add' || types[place] !== 'lock') continue;
      const { amount } = decodeLock(lock);
      // What is locked counts as arrived, unless the fees are capped; the lock itself does not.
      const met = charged.map((terms) => {
        return { terms, sides: sides.payer(actor, terms.capFees ? null : amount) };
      });
      payers.set(keyOf(who, actor, secrethash), { amount, met });
    }
  }

  /** A transfer is charged for by the terms of when it came, however long it waits. */
  function checkForwarded({ who, sides }: Told, change: Changed, payer: string) {
    const { channel, secrethash, lock } = change;
    const came = payers.get(keyOf(who, payer, secrethash));
    if (came === undefined) return;
    const { amount } = decodeLock(lock);
    const expected = came.met.flatMap(({ terms, sides: met }) =>
      met.flatMap((one) =>
        sides
          .payee(channel, terms.capFees)
          .map((went) => passedOn({ terms, came: one, went, amount: came.amount })),
      ),
    );
    if (expected.includes(amount)) return;
    const text = `${who} passes ${amount} of ${came.amount} on in ${channel}`;
    throw new Violation(9, who, `${text}, which is ${expected[0] ?? 0n} by its terms`);
  }

  function judge(who: string, charged: readonly FeeTerms[], batch: Batch) {
    const told = { who, charged, sides: sidesOf.begin(who, batch) };
    const all = lockChanges(batch.proofs);
    const own = all.filter(({ side }) => side === 'own');
    const steps = batch.proofs.filter(({ side }) => side === 'partner');
    for (const row of batch.journal) {
      const type = typeOf(row);
      if (type === 'msg.update') {
        const { message } = v.parse(UPDATE, decode(row.event));
        const place = steps.findIndex(({ channel }) => channel === row.actor);
        // A message that comes before the one that it follows changes nothing, and is sent again.
        if (steps[place]?.nonce !== message.nonce) continue;
        const types = message.changes.map((change) => change.type);
        take(told, row.actor, { changes: lockChanges(steps.splice(place, 1)), types });
        continue;
      }
      const kind = KINDS[type];
      if (kind === undefined) continue;
      const asked = v.parse(OWN_CHANGE, decode(row.event));
      const place = own.findIndex(({ channel }) => channel === row.actor);
      const next = own[place];
      // Whatever else was asked for was refused.
      if (next?.kind !== kind || next.secrethash !== asked.secrethash) continue;
      own.splice(place, 1);
      if (asked.payer !== undefined) checkForwarded(told, next, asked.payer.channel);
      told.sides.change(row.actor, next);
    }
  }

  return {
    commit(who, batch) {
      const terms = termsOf(who);
      const isLocking = batch.proofs.some(({ changes }) =>
        changes.some(({ kind }) => kind === 'add'),
      );
      if (terms !== null) {
        if (isLocking) judge(who, [...new Set([termsBefore.get(who) ?? terms, terms])], batch);
        termsBefore.set(who, terms);
      }
      sidesOf.end(who, batch);
    },
  };
}

/** The type of the event that the step took; empty: it is no event. */
function typeOf({ kind, event }: JournalRow): string {
  const found = kind === 'event' ? /^\{"type":"([^"]+)"/.exec(event) : null;
  return found?.[1] ?? '';
}
