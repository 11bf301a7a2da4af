/**
 * What honest nodes have signed and taken, step by step, over all their lives and whatever their disks forget.
 * Each commit is held against it before anything of it is done, so that a step that breaks a rule is met at once; only
 * what the commit changes is looked at.
 */
import type { RecordProof } from '../../../machines/effects.ts';
import type { Hash } from '../../protocol/hex.ts';
import { decodeLock, type Lock, locksroot, MAX_PENDING_LOCKS } from '../../protocol/lock.ts';
import type { Batch } from '../../store/batch.ts';
import { Violation } from './violation.ts';

type Side = 'own' | 'partner';
/** One direction of one channel as one of its nodes knows it. */
type Row = {
  nonce: bigint;
  transferred: bigint;
  locks: Map<Hash, Lock>;
  /** How many locks were paid. */
  payments: number;
};
/** The newest signed steps of one direction, by nonce: what was ever said there. */
type Said = Map<bigint, Hash>;
export type Facts = {
  confirmations: bigint;
  /** The chain's newest block. */
  head(): bigint;
  /** When the secret of this hash was registered; null: it was not. */
  secretBlock(secrethash: Hash): bigint | null;
  /** The other end of a channel, when an honest machine stands there. */
  honestPartner(who: string, channel: string): string | null;
  /** Whether its owner lets it pay for being used, so that it may pass on more than comes. */
  paysForUse(who: string): boolean;
};
export type Ledger = ReturnType<typeof createLedger>;

/** Steps of one direction of which the content is kept: no more can be under way between two partners. */
const KEPT_STEPS = 400n;
const INITIATOR = 'initiator:';
const TARGET = 'target:';

export function createLedger(facts: Facts) {
  const rows = new Map<string, Row>();
  const said = new Map<string, Said>();
  /** Where a machine holds locks with a secrethash, by machine, side and secrethash: a channel each. */
  const places = new Map<string, Set<string>>();
  /** Locks that were paid to a machine, or that it has paid, when the other half of the payment is open. */
  const paid = new Set<string>();
  /** Payments of machines' own that hold a lock, or are about to. */
  const initiators = new Set<string>();
  /** Payments to machines. */
  const targets = new Set<string>();

  const rowKey = (who: string, side: Side, channel: string) => `${who} ${side} ${channel}`;
  const lockKey = (who: string, side: Side, hash: Hash) => `${who} ${side} ${hash}`;

  function rowOf(key: string): Row {
    const known = rows.get(key);
    if (known !== undefined) return known;
    const locks = new Map<Hash, Lock>();
    const row = { nonce: 0n, transferred: 0n, locks, payments: 0 };
    rows.set(key, row);
    return row;
  }

  /** Nobody ever signs two different things for one place. */
  function noteSaid(who: string, { channel, nonce, balanceHash }: RecordProof) {
    const key = `${who} ${channel}`;
    const steps: Said = said.get(key) ?? new Map();
    said.set(key, steps);
    const before = steps.get(nonce);
    if (before !== undefined && before !== balanceHash)
      throw new Violation(10, who, `${who} signs a second step ${nonce} of ${channel}`);
    steps.set(nonce, balanceHash);
    steps.delete(nonce - KEPT_STEPS);
  }

  /** What is taken from an honest partner was signed by it. */
  function checkTaken(who: string, { channel, nonce, balanceHash }: RecordProof) {
    const partner = facts.honestPartner(who, channel);
    if (partner === null) return;
    const theirs = said.get(`${partner} ${channel}`)?.get(nonce);
    if (theirs === undefined || theirs === balanceHash) return;
    throw new Violation(14, who, `${who} takes a step ${nonce} that ${partner} never signed`);
  }

  function checkShape(who: string, row: Row, proof: RecordProof) {
    const locks = [...row.locks.values()];
    const sum = locks.reduce((total, { amount }) => total + amount, 0n);
    const wrong =
      (sum !== proof.lockedAmount && `holds locks of ${sum}, and signs ${proof.lockedAmount}`) ||
      (locksroot(locks) !== proof.locksroot && 'signs another locksroot than that of its locks') ||
      (locks.length > MAX_PENDING_LOCKS && `holds ${locks.length} locks`) ||
      (proof.transferredAmount < row.transferred && 'takes back what was transferred');
    if (wrong) throw new Violation(12, who, `${who} ${wrong} in ${proof.channel}`);
  }

  function add(who: string, side: Side, channel: string, row: Row, lock: Lock) {
    const { secrethash } = lock;
    if (row.locks.has(secrethash))
      throw new Violation(12, who, `${who} holds ${secrethash} twice in ${channel}`);
    row.locks.set(secrethash, lock);
    const key = lockKey(who, side, secrethash);
    const at = places.get(key) ?? new Set();
    places.set(key, at.add(channel));
    if (side === 'own') checkCover(who, lock);
  }

  /** Whoever passes a payment on holds a lock that is as large and ends no sooner. */
  function checkCover(who: string, { secrethash, amount, expiration }: Lock) {
    if (initiators.has(`${who} ${secrethash}`)) return;
    const least = facts.paysForUse(who) ? 1n : amount;
    const covers = locksAt(who, 'partner', secrethash).some(
      (lock) => lock.amount >= least && lock.expiration >= expiration,
    );
    if (covers) return;
    throw new Violation(7, who, `${who} passes ${secrethash} on without a lock that covers it`, {
      lost: amount,
    });
  }

  function remove(who: string, proof: RecordProof, row: Row, lock: Lock) {
    const { side, channel, transferredAmount } = proof;
    const { secrethash } = lock;
    const isPaid = transferredAmount > row.transferred;
    if (side === 'own' && isPaid) checkPaid(who, lock);
    row.locks.delete(secrethash);
    if (side === 'own') initiators.delete(`${who} ${secrethash}`);
    const key = lockKey(who, side, secrethash);
    places.get(key)?.delete(channel);
    if (places.get(key)?.size === 0) places.delete(key);
    if (isPaid) row.payments += 1;
    if (isPaid) return notePaid(who, side, secrethash);
    if (side === 'own') return checkExpiry(who, lock);
    checkTakenBack(who, lock);
    checkLost(who, lock);
  }

  /** Kept for as long as the other half of the same payment is open. */
  function notePaid(who: string, side: Side, secrethash: Hash) {
    const other = lockKey(who, side === 'own' ? 'partner' : 'own', secrethash);
    if (!paid.delete(other) && places.has(other)) paid.add(lockKey(who, side, secrethash));
  }

  /** A lock is taken back when it can no longer be claimed, and not before. */
  function checkExpiry(who: string, { secrethash, expiration }: Lock) {
    const seen = facts.head() - facts.confirmations;
    // The rules are written out: what the node uses may be what is wrong with it.
    if (seen < expiration + 2n * facts.confirmations)
      throw new Violation(16, who, `${who} takes back ${secrethash} at ${seen}, too early`);
    const revealed = facts.secretBlock(secrethash);
    if (revealed !== null && revealed < expiration)
      throw new Violation(16, who, `${who} takes back ${secrethash}, which was claimed on chain`);
  }

  /** Whoever lets its payer take a lock back has seen that it can no longer be claimed. */
  function checkTakenBack(who: string, { secrethash, expiration }: Lock) {
    const seen = facts.head() - facts.confirmations;
    if (seen < expiration + facts.confirmations)
      throw new Violation(16, who, `${who} lets ${secrethash} be taken back at ${seen}, too early`);
    const revealed = facts.secretBlock(secrethash);
    if (revealed !== null && revealed < expiration)
      throw new Violation(16, who, `${who} lets ${secrethash} be taken back, which is claimed`);
  }

  /** Whoever gives up a lock of its payer has not paid for it, and nobody can claim that of it any more. */
  function checkLost(who: string, { secrethash, amount }: Lock) {
    if (initiators.has(`${who} ${secrethash}`)) return;
    const own = lockKey(who, 'own', secrethash);
    const revealed = facts.secretBlock(secrethash);
    const isClaimed = locksAt(who, 'own', secrethash).some(
      (lock) => revealed !== null && revealed < lock.expiration,
    );
    if (!isClaimed && !paid.has(own)) return;
    throw new Violation(6, who, `${who} pays ${secrethash} and gives up what pays for it`, {
      lost: amount,
    });
  }

  /** Whoever pays a payment on has been paid, or holds the lock that pays it. */
  function checkPaid(who: string, { secrethash, amount }: Lock) {
    if (initiators.has(`${who} ${secrethash}`)) return;
    const partner = lockKey(who, 'partner', secrethash);
    if (places.has(partner) || paid.has(partner)) return;
    throw new Violation(6, who, `${who} pays ${secrethash}, for which nobody pays it`, {
      lost: amount,
    });
  }

  function step(who: string, proof: RecordProof) {
    const { side, channel, change } = proof;
    const row = rowOf(rowKey(who, side, channel));
    if (side === 'own') noteSaid(who, proof);
    else checkTaken(who, proof);
    // A disk that lost its newest rows takes the same steps again; what it signs was compared above.
    if (proof.nonce <= row.nonce) return;
    if (change !== null) {
      const lock = decodeLock(change.lock);
      if (change.kind === 'add') add(who, side, channel, row, lock);
      else remove(who, proof, row, lock);
    }
    checkShape(who, row, proof);
    row.nonce = proof.nonce;
    row.transferred = proof.transferredAmount;
  }

  function noteRole(who: string, actor: string) {
    if (actor.startsWith(INITIATOR)) initiators.add(`${who} ${actor.slice(INITIATOR.length)}`);
    if (actor.startsWith(TARGET)) targets.add(`${who} ${actor.slice(TARGET.length)}`);
  }

  function locksAt(who: string, side: Side, secrethash: Hash): Lock[] {
    return [...(places.get(lockKey(who, side, secrethash)) ?? [])]
      .map((channel) => rows.get(rowKey(who, side, channel))?.locks.get(secrethash))
      .filter((lock) => lock !== undefined);
  }

  return {
    /** An honest machine has written this. Throws the violation that it is. */
    commit(who: string, batch: Pick<Batch, 'actors' | 'proofs'>) {
      for (const { id } of batch.actors) noteRole(who, id);
      for (const proof of batch.proofs) step(who, proof);
    },
    /** Whether the machine has written this step before, as it has to be before it is sent. */
    hasSaid: (who: string, channel: string, nonce: bigint, balanceHash: Hash): boolean =>
      said.get(`${who} ${channel}`)?.get(nonce) === balanceHash,
    /** When the lock of a payment of the machine itself ends; null: it is none of its own, or not locked. */
    ownExpiration(who: string, secrethash: Hash): bigint | null {
      if (!initiators.has(`${who} ${secrethash}`)) return null;
      return locksAt(who, 'own', secrethash)[0]?.expiration ?? null;
    },
    /** Whether the machine holds a lock for its partner in this channel. */
    isLocked: (who: string, channel: string, secrethash: Hash): boolean =>
      rows.get(rowKey(who, 'own', channel))?.locks.has(secrethash) ?? false,
    /** Whether the machine holds a lock with this secrethash, its own or its partner's. */
    isHeld: (who: string, secrethash: Hash): boolean =>
      places.has(lockKey(who, 'own', secrethash)) ||
      places.has(lockKey(who, 'partner', secrethash)),
    /** Whether a payment of the machine itself holds this lock. */
    isInitiator: (who: string, secrethash: Hash): boolean => initiators.has(`${who} ${secrethash}`),
    /**
     * What the machine can claim with this secret; null: nothing. `isPassedOn`: it has paid for it, or is about
     * to, or is the target.
     */
    claimOf(who: string, secrethash: Hash) {
      const [channel] = places.get(lockKey(who, 'partner', secrethash)) ?? [];
      const [lock] = locksAt(who, 'partner', secrethash);
      if (channel === undefined || lock === undefined) return null;
      const own = lockKey(who, 'own', secrethash);
      const isTarget = targets.has(`${who} ${secrethash}`);
      const isPassedOn = isTarget || places.has(own) || paid.has(own);
      return { channel, lock, isPassedOn };
    },
    /** The channel is gone from the chain: nothing of it can be signed any more. */
    forget(who: string, channel: string) {
      for (const side of ['own', 'partner'] as const) {
        const key = rowKey(who, side, channel);
        for (const hash of rows.get(key)?.locks.keys() ?? [])
          places.get(lockKey(who, side, hash))?.delete(channel);
        rows.delete(key);
      }
      said.delete(`${who} ${channel}`);
    },
    /** What was signed and taken up to now: how much a channel has moved to this machine, or from it. */
    moved(who: string, channel: string): bigint {
      const of = (side: Side) => rows.get(rowKey(who, side, channel))?.transferred ?? 0n;
      return of('partner') - of('own');
    },
    /** When those locks end that somebody pays to an honest machine with this secret, pending as they are. */
    claims: (secrethash: Hash): bigint[] =>
      [...rows].flatMap(([key, { locks }]) => {
        const lock = key.includes(' partner ') ? locks.get(secrethash) : undefined;
        return lock === undefined ? [] : [lock.expiration];
      }),
    /** What has left this machine through a channel in all, what has come, and in how many payments. */
    flows(who: string, channel: string) {
      const own = rows.get(rowKey(who, 'own', channel));
      const partner = rows.get(rowKey(who, 'partner', channel));
      return {
        flowAB: own?.transferred ?? 0n,
        flowBA: partner?.transferred ?? 0n,
        payments: (own?.payments ?? 0) + (partner?.payments ?? 0),
      };
    },
    /** Locks that are pending in all channels of honest machines. */
    pending: () => places.size,
  };
}
