/**
 * The steps that honest nodes have signed and accepted, over all their processes and even if their disks forget
 * them. Each commit is checked against this ledger before anything of it is carried out, so that a step that breaks
 * a rule is found at once; only what the commit changes is checked.
 */
import type { RecordProof } from '../../../../machines/effects.ts';
import type { Hash } from '../../../basics/hex.ts';
import {
  decodeLock,
  type Lock,
  locksroot,
  MAX_PENDING_LOCKS,
} from '../../../protocol/channel/lock.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { Violation } from '../violation.ts';

type Side = 'own' | 'partner';
/** One direction of one channel as one of its nodes knows it. */
type Row = {
  nonce: bigint;
  transferred: bigint;
  locks: Map<Hash, Lock>;
  /** How many locks were paid. */
  payments: number;
};
/** A lock that is removed, and whether it is paid. */
type Ended = { lock: Lock; isPaid: boolean };
/** The newest signed steps of one direction, by nonce. */
type Said = Map<bigint, Hash>;
export type Facts = {
  confirmations: bigint;
  /** The chain's newest block. */
  head(): bigint;
  /** The block in which the secret of this hash was registered; null: it was not. */
  secretBlock(secrethash: Hash): bigint | null;
  /** The node at the other end of a channel, if it is honest. */
  honestPartner(who: string, channel: string): string | null;
  /** Whether the node's owner lets it pay others for using it, so that it may pass on more than it gets. */
  paysForUse(who: string): boolean;
};
export type Ledger = ReturnType<typeof createLedger>;

/** Steps of one direction whose contents are kept: no more wait for a partner that never acknowledges. */
const KEPT_STEPS = 1_000n;
const INITIATOR = 'initiator:';
const TARGET = 'target:';

export function createLedger(facts: Facts) {
  const rows = new Map<string, Row>();
  const said = new Map<string, Said>();
  /** The channels in which a node has a lock with a secrethash, by machine, side and secrethash. */
  const places = new Map<string, Set<string>>();
  /** Locks that a node has paid, or was paid, while the other lock of the same payment is still pending. */
  const paid = new Set<string>();
  /** Payments that nodes started and that have a lock, or soon will. */
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

  /** A node never signs two different steps with one nonce. */
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

  /** A step that is accepted from an honest partner was signed by it. */
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
      (locks.length > MAX_PENDING_LOCKS && `holds ${locks.length} locks`);
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

  /** A mediator has a lock from its payer that is as large and expires no sooner. */
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

  function remove(who: string, { side, channel }: RecordProof, row: Row, ended: Ended) {
    const { lock, isPaid } = ended;
    const { secrethash } = lock;
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

  /** Remembers the payment for as long as the other lock of the same payment is pending. */
  function notePaid(who: string, side: Side, secrethash: Hash) {
    const other = lockKey(who, side === 'own' ? 'partner' : 'own', secrethash);
    if (!paid.delete(other) && places.has(other)) paid.add(lockKey(who, side, secrethash));
  }

  /** A node removes its own lock only when the lock can no longer be claimed. */
  function checkExpiry(who: string, { secrethash, expiration }: Lock) {
    const seen = facts.head() - facts.confirmations;
    // The rules are repeated here and not taken from the node's code, which may be wrong.
    if (seen < expiration + 2n * facts.confirmations)
      throw new Violation(16, who, `${who} takes back ${secrethash} at ${seen}, too early`);
    const revealed = facts.secretBlock(secrethash);
    if (revealed !== null && revealed < expiration)
      throw new Violation(16, who, `${who} takes back ${secrethash}, which was claimed on chain`);
  }

  /** A node lets its payer remove a lock only when the lock can no longer be claimed. */
  function checkTakenBack(who: string, { secrethash, expiration }: Lock) {
    const seen = facts.head() - facts.confirmations;
    if (seen < expiration + facts.confirmations)
      throw new Violation(16, who, `${who} lets ${secrethash} be taken back at ${seen}, too early`);
    const revealed = facts.secretBlock(secrethash);
    if (revealed !== null && revealed < expiration)
      throw new Violation(16, who, `${who} lets ${secrethash} be taken back, which is claimed`);
  }

  /** A node that gives up its payer's lock has not paid the payee, and the payee can no longer claim it. */
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

  /** A node that pays a payee has been paid by its payer, or has the lock that pays it. */
  function checkPaid(who: string, { secrethash, amount }: Lock) {
    if (initiators.has(`${who} ${secrethash}`)) return;
    const partner = lockKey(who, 'partner', secrethash);
    if (places.has(partner) || paid.has(partner)) return;
    throw new Violation(6, who, `${who} pays ${secrethash}, for which nobody pays it`, {
      lost: amount,
    });
  }

  function step(who: string, proof: RecordProof) {
    const { side, channel, changes } = proof;
    const row = rowOf(rowKey(who, side, channel));
    if (side === 'own') noteSaid(who, proof);
    else checkTaken(who, proof);
    // After its disk lost the newest rows, a node takes the same steps again; its signatures were compared above.
    if (proof.nonce <= row.nonce) return;
    checkTransferred(who, row, proof);
    for (const { kind, lock: packed } of changes) {
      const lock = decodeLock(packed);
      if (kind === 'add') add(who, side, channel, row, lock);
      else remove(who, proof, row, { lock, isPaid: kind === 'pay' });
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
    /** An honest node has written this batch. Throws the violation that it finds. */
    commit(who: string, batch: Pick<Batch, 'actors' | 'proofs'>) {
      for (const { id } of batch.actors) noteRole(who, id);
      for (const proof of batch.proofs) step(who, proof);
    },
    /** Whether the node has written this step, as it must before sending it. */
    hasSaid: (who: string, channel: string, nonce: bigint, balanceHash: Hash): boolean =>
      said.get(`${who} ${channel}`)?.get(nonce) === balanceHash,
    /** The expiration of the lock of a payment that the node started; null: it did not start it, or has no lock. */
    ownExpiration(who: string, secrethash: Hash): bigint | null {
      if (!initiators.has(`${who} ${secrethash}`)) return null;
      return locksAt(who, 'own', secrethash)[0]?.expiration ?? null;
    },
    /** Whether the node has a pending lock for its partner in this channel. */
    isLocked: (who: string, channel: string, secrethash: Hash): boolean =>
      rows.get(rowKey(who, 'own', channel))?.locks.has(secrethash) ?? false,
    /** Whether the node has a pending lock with this secrethash, its own or its partner's. */
    isHeld: (who: string, secrethash: Hash): boolean =>
      places.has(lockKey(who, 'own', secrethash)) ||
      places.has(lockKey(who, 'partner', secrethash)),
    /** Whether the lock belongs to a payment that the node started. */
    isInitiator: (who: string, secrethash: Hash): boolean => initiators.has(`${who} ${secrethash}`),
    /**
     * The lock that the node can claim with this secret; null: none. `isPassedOn`: the node has paid its payee for
     * it, or has a lock to, or is the target.
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
    /** The channel was removed from the chain: nothing in it can be signed any more. */
    forget(who: string, channel: string) {
      for (const side of ['own', 'partner'] as const) {
        const key = rowKey(who, side, channel);
        for (const hash of rows.get(key)?.locks.keys() ?? [])
          places.get(lockKey(who, side, hash))?.delete(channel);
        rows.delete(key);
      }
      said.delete(`${who} ${channel}`);
    },
    /** The expirations of the pending locks that pay an honest node with this secret. */
    claims: (secrethash: Hash): bigint[] =>
      [...rows].flatMap(([key, { locks }]) => {
        const lock = key.includes(' partner ') ? locks.get(secrethash) : undefined;
        return lock === undefined ? [] : [lock.expiration];
      }),
    /** The total amounts that this node has sent and received through a channel, and the number of payments. */
    flows(who: string, channel: string) {
      const own = rows.get(rowKey(who, 'own', channel));
      const partner = rows.get(rowKey(who, 'partner', channel));
      return {
        sent: own?.transferred ?? 0n,
        received: partner?.transferred ?? 0n,
        payments: (own?.payments ?? 0) + (partner?.payments ?? 0),
      };
    },
    /**
     * Number of pending locks of honest nodes in the channels that `isThere` names; one that both ends of a channel hold
     * counts once.
     */
    pending(isThere: (channel: string) => boolean): number {
      const locks = new Set<string>();
      for (const [key, channels] of places) {
        const [who = '', side, hash] = key.split(' ');
        for (const channel of channels) {
          if (!isThere(channel)) continue;
          const giver = side === 'own' ? who : facts.honestPartner(who, channel);
          locks.add(`${giver} ${channel} ${hash}`);
        }
      }
      return locks.size;
    },
  };
}

/** What is transferred grows by the locks that are paid, and by nothing else. */
function checkTransferred(who: string, row: Row, { channel, ...proof }: RecordProof) {
  const paid = proof.changes.filter(({ kind }) => kind === 'pay');
  const sum = paid.reduce((total, { lock }) => total + decodeLock(lock).amount, 0n);
  if (proof.transferredAmount === row.transferred + sum) return;
  const text = `${who} pays ${sum} in ${channel}, and signs ${proof.transferredAmount}`;
  throw new Violation(12, who, text);
}
