/**
 * Money for gas that is promised is spent by nothing else. A node that passed a lock on must be able to bring its secret
 * on chain, and one that has been paid in a channel, to bring the newest proof: it sends nothing else that leaves its
 * account with less than all of that costs now; and it passes a lock on only when several times as much is there. What that
 * is, is counted here from what nodes write and from the chain.
 */

import { smaller } from '../../../basics/amount.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { secretsIn } from '../../../chain/queue/calls.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Transaction } from '../../chain/transaction.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';

type Needs = Pick<Facts & Ledger, 'channelOf' | 'head' | 'isInitiator' | 'machine' | 'nameOf'> &
  Pick<Facts, 'machines' | 'registry' | 'secretBlock' | 'tokenNetwork' | 'usualTip' | 'wei'> & {
    /** Number of the transactions of this account that were mined. */
    nonceOf(owner: Address): number;
  };
type Came = { channel: string; expiration: bigint };
type Proven = { nonce: bigint; value: bigint };
type Book = {
  nonces: Map<string, bigint>;
  /** Pending locks of partners, and those of them whose payment this node has passed on. */
  came: Map<Hash, Came>;
  passed: Set<Hash>;
  /** The newest proof of the partner in each channel. */
  proven: Map<string, Proven>;
  /** What transactions under way may cost in wei, by nonce. */
  underWay: Map<number, bigint>;
  highestNonce: number;
};

/** The least gas that each takes, so that no margin of a node's own matters. */
const GAS = { registration: 24_000n, transaction: 21_000n, update: 68_000n };
/** A proof for less than this part of what is in its channel need not be brought. */
const DUST_PART = 1_600n;
/** How many times that is set aside for a registration that is promised: docs/limits.md. */
const ASIDE = 3n;
/** Blocks within which a node need not have seen that gas has become dearer, or its account poorer. */
const UNSEEN = 5;

export function createEscrow(needs: Needs) {
  const { head, wei, channelOf, machine, secretBlock } = needs;
  const books = new Map<string, Book>();
  /** Base fees of the newest blocks, and what accounts had in them. */
  const prices: bigint[] = [];
  const accounts: Map<string, bigint>[] = [];
  const lowest = () => prices.reduce(smaller, prices[0] ?? 0n) + needs.usualTip();

  function bookOf(who: string): Book {
    return getOrMake(books, who, () => ({
      nonces: new Map(),
      came: new Map(),
      passed: new Set(),
      proven: new Map(),
      underWay: new Map(),
      highestNonce: -1,
    }));
  }

  function note(who: string, book: Book, proof: Batch['proofs'][number]) {
    const { side, channel, nonce, changes, transferredAmount, lockedAmount } = proof;
    const key = `${side} ${channel}`;
    if (nonce <= (book.nonces.get(key) ?? 0n)) return;
    book.nonces.set(key, nonce);
    const isOwn = side === 'own';
    if (!isOwn) book.proven.set(channel, { nonce, value: transferredAmount + lockedAmount });
    for (const { kind, secrethash, lock } of changes) {
      const isNew = kind === 'add';
      if (isOwn && isNew && !needs.isInitiator(who, secrethash)) book.passed.add(secrethash);
      // What was paid on is owed by the payer still.
      if (isOwn && kind !== 'add' && kind !== 'pay') book.passed.delete(secrethash);
      if (isOwn) continue;
      const { expiration } = decodeLock(lock);
      if (isNew) book.came.set(secrethash, { channel, expiration });
      else if (book.came.delete(secrethash)) book.passed.delete(secrethash);
    }
  }

  function isPromised({ came, passed }: Book, secrethash: Hash): boolean {
    const lock = came.get(secrethash);
    return lock !== undefined && passed.has(secrethash) && head() < lock.expiration;
  }

  /** Whether the partner may have closed with an old proof, or may do so still. */
  function needsUpdate(own: Address, channel: string, { nonce, value }: Proven): boolean {
    const facts = channelOf(channel);
    const partner = facts?.sides.find(({ address }) => address !== own);
    if (!facts || partner === undefined) return false;
    const held = facts.sides.reduce((sum, { deposit }) => sum + deposit, 0n);
    if (value * DUST_PART < held || !channel.includes(needs.tokenNetwork)) return false;
    if (facts.state === 'opened') return true;
    const isOld = partner.isCloser && partner.nonce < nonce;
    return facts.state === 'closed' && isOld && head() < facts.settle;
  }

  /** Gas for the registrations that the node may be forced to make. */
  function registrationGas(book: Book): bigint {
    const unknown = [...book.passed].filter(
      (secrethash) => isPromised(book, secrethash) && secretBlock(secrethash) === null,
    );
    return unknown.length === 0 ? 0n : BigInt(unknown.length) * GAS.registration + GAS.transaction;
  }

  /** Gas that the node may be forced to spend. */
  function promisedGas(own: Address, book: Book): bigint {
    const updates = [...book.proven].filter(([channel, proven]) =>
      needsUpdate(own, channel, proven),
    );
    return registrationGas(book) + BigInt(updates.length) * GAS.update;
  }

  /** A node passes a lock on only when all that it has promised is there several times. */
  function checkPromise(who: string, book: Book) {
    const needed = ASIDE * registrationGas(book) * lowest();
    const node = machine(who);
    // What has come since the newest block counts, too.
    const present = node === null ? [] : [wei(node.address)];
    const known = [...accounts.flatMap((account) => account.get(who) ?? []), ...present];
    if (accounts.length < UNSEEN || known.some((had) => had >= needed)) return;
    const text = `${who} passes a lock on, and has not had ${needed} wei for what it promises`;
    throw new Violation(35, who, text);
  }

  /** How much of the transaction's gas is for what was promised to nobody. */
  function optionalGas(book: Book, transaction: Transaction): bigint {
    const { to, data, gas } = transaction;
    if (needs.nameOf(transaction) === 'updateNonClosingBalanceProof') return 0n;
    if (to !== needs.registry) return gas;
    const secrets = secretsIn(data);
    const others = secrets.filter((secret) => !isPromised(book, secrethashOf(secret))).length;
    if (others === secrets.length) return gas;
    return BigInt(others) * GAS.registration;
  }

  const oracle: Oracle = {
    block({ baseFee }) {
      prices.push(baseFee);
      accounts.push(new Map(needs.machines().map(({ name, address }) => [name, wei(address)])));
      if (prices.length > UNSEEN) prices.shift();
      if (accounts.length > UNSEEN) accounts.shift();
    },
    commit(who, { proofs }) {
      const book = bookOf(who);
      for (const proof of proofs) note(who, book, proof);
      const isNew = ({ side, kind, secrethash }: Changed) =>
        side === 'own' && kind === 'add' && !needs.isInitiator(who, secrethash);
      if (lockChanges(proofs).some(isNew)) checkPromise(who, book);
    },
    submitted(who, transaction) {
      const node = machine(who);
      const book = bookOf(who);
      const { to, nonce, value, maxFeePerGas } = transaction;
      // One that is sent again at a higher price was judged before; one to itself somebody else has sent.
      if (node === null || nonce <= book.highestNonce || to === node.address) return;
      book.highestNonce = nonce;
      const price = lowest();
      const cost = optionalGas(book, transaction) * smaller(maxFeePerGas, price) + value;
      const mined = needs.nonceOf(node.address);
      for (const known of book.underWay.keys()) if (known < mined) book.underWay.delete(known);
      const others = [...book.underWay.values()].reduce((sum, one) => sum + one, 0n);
      book.underWay.set(nonce, cost);
      if (cost === 0n) return;
      const promised = promisedGas(node.address, book) * price;
      const left = wei(node.address) - others - cost;
      if (promised === 0n || left >= promised) return;
      const what = `${who} sends ${needs.nameOf(transaction)} and keeps ${left} wei`;
      throw new Violation(35, who, `${what}, of ${promised} that it may be forced to spend`);
    },
  };
  return {
    oracle,
    /** Gas for the registrations that the node may be forced to make, at least. */
    registrationGas: (who: string): bigint => registrationGas(bookOf(who)),
    partnerLocks: (who: string) => BigInt(bookOf(who).came.size),
    /** The lowest price of a unit of gas in the last blocks. */
    lowestPrice: lowest,
  };
}
