/**
 * What each actor remembers holds together at every commit: with what both sides of its channels have signed, with what is
 * said in the same commit, and with itself. A commit that breaks it may do harm only much later, or only after a start.
 */
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Hash } from '../../../basics/hex.ts';
import type { StoredState } from '../../../node/runtime/actors/kinds.ts';
import type { ActorRow, Batch } from '../../../store/base/batch.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { stateOf } from '../states.ts';
import { Violation } from '../violation.ts';
import { growing, type HeldChannel, wrongInChannel } from './held-channel.ts';
import { type Answer, answersOf, type HeldPayment, wrongInPayment } from './held-payment.ts';
import { wrongSayings } from './sayings.ts';

type Side = 'own' | 'partner';
type Needs = Pick<Facts, 'channelOf' | 'isOpen' | 'secretBlock'> &
  Pick<Ledger, 'isInitiator' | 'signedSide'>;
/** What one node has on its disk. */
type Held = {
  /** The transactions that wait for their end. */
  jobs: Set<string>;
  /** The locks that living actors look after, by the actors' ids. */
  answers: Map<string, readonly Answer[]>;
  /** The actors' ids, by the secrethash. */
  byHash: Map<Hash, Set<string>>;
  channels: Map<string, { numbers: readonly bigint[]; registered: readonly Hash[] }>;
};
const WORDS = ['counts jobs', 'remembers the horizon of its consents', 'is ordered to close'];

export function createContexts({ channelOf, isOpen, secretBlock, ...ledger }: Needs): Oracle {
  const machines = new Map<string, Held>();
  const heldBy = (who: string) =>
    getOrMake(machines, who, (): Held => {
      return { jobs: new Set(), answers: new Map(), byHash: new Map(), channels: new Map() };
    });

  const isThere = (channel: string) => channelOf(channel)?.state !== 'removed';
  const lockIn = (who: string) => (side: Side, channel: string, secrethash: Hash) =>
    ledger.signedSide(who, side, channel)?.locks.get(secrethash) ?? null;

  function checkChannel(who: string, id: string, state: HeldChannel, held: Held) {
    const wrong =
      wrongInChannel(state, {
        signed: (side) => ledger.signedSide(who, side, id),
        isInitiator: (secrethash) => ledger.isInitiator(who, secrethash),
        isUnderWay: (job) => held.jobs.has(job),
      }) ?? wrongSince(id, state, held);
    if (wrong !== null) throw new Violation(39, who, `${id} of ${who} ${wrong}`);
    const { registered } = state.context;
    held.channels.set(id, { numbers: growing(state.context), registered });
  }

  function wrongSince(id: string, { context }: HeldChannel, { channels }: Held): string | null {
    const before = channels.get(id);
    const shrunk = growing(context).findIndex((one, at) => one < (before?.numbers[at] ?? 0n));
    if (shrunk >= 0) return `${WORDS[shrunk]} no more as before`;
    const early = context.registered.find(
      (hash) => before?.registered.includes(hash) !== true && !isClaimed(context, hash),
    );
    return early === undefined ? null : `takes ${early} for registered in time, which it is not`;
  }

  function isClaimed({ ownEnd, partnerEnd }: HeldChannel['context'], hash: Hash): boolean {
    const block = secretBlock(hash);
    return [...ownEnd.locks, ...partnerEnd.locks].some(
      ({ secrethash, expiration }) => secrethash === hash && block !== null && block < expiration,
    );
  }

  function checkPayment(who: string, id: string, state: HeldPayment) {
    const wrong = wrongInPayment(state, { lockIn: lockIn(who) });
    if (wrong !== null) throw new Violation(39, who, `${id} of ${who} ${wrong}`);
  }

  function note(id: string, state: HeldPayment, { answers, byHash }: Held) {
    const locks = answersOf(state);
    answers.set(id, locks);
    for (const { secrethash } of locks)
      getOrMake(byHash, secrethash, () => new Set<string>()).add(id);
  }

  function forget(id: string, { answers, byHash, channels }: Held): readonly Answer[] {
    const locks = answers.get(id) ?? [];
    answers.delete(id);
    channels.delete(id);
    for (const { secrethash } of locks) {
      byHash.get(secrethash)?.delete(id);
      if (byHash.get(secrethash)?.size === 0) byHash.delete(secrethash);
    }
    return locks;
  }

  /** Each pending lock has an actor that looks after it; of an own one the chain takes care once the channel is closed. */
  function checkAnswered(who: string, place: Pick<Answer, 'side' | 'channel' | 'secrethash'>) {
    const { side, channel, secrethash } = place;
    if (lockIn(who)(side, channel, secrethash) === null || !isOpen(channel)) return;
    const { answers, byHash } = heldBy(who);
    const isOne = (one: Answer) => one.side === side && one.channel === channel;
    for (const id of byHash.get(secrethash) ?? [])
      if (answers.get(id)?.some(isOne) === true) return;
    const text = `${who} has nobody to look after its ${side} lock ${secrethash} in ${channel}`;
    throw new Violation(39, who, text);
  }

  function commit(who: string, batch: Batch) {
    const held = heldBy(who);
    for (const { key } of batch.jobs) held.jobs.add(key);
    for (const key of batch.jobsDone) held.jobs.delete(key);
    if (batch.fork !== null) held.channels.clear();
    const left = batch.retired.flatMap((id) => forget(id, held));
    const rows = batch.actors.map((row: ActorRow): [string, StoredState] => [row.id, stateOf(row)]);
    for (const [id, state] of rows) {
      if (state.kind === 'channel' && isThere(id)) checkChannel(who, id, state, held);
      if (!isOfPayment(state)) continue;
      note(id, state, held);
      checkPayment(who, id, state);
    }
    for (const place of [...left, ...lockChanges(batch.proofs)]) checkAnswered(who, place);
    const wrong = wrongSayings(batch, isOpen);
    if (wrong !== null) throw new Violation(39, who, `${who} ${wrong}`);
  }

  return { commit };
}

function isOfPayment(state: StoredState): state is HeldPayment {
  const { kind } = state;
  return kind === 'initiator' || kind === 'mediator' || kind === 'target' || kind === 'keeper';
}
