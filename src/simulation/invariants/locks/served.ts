/**
 * Whoever is known is served, whatever strangers hold: a node asks for the secret of a payment to it, or passes back the
 * one that came with the lock, when it is from an honest partner with whom payments have ended well. Locks and channels of
 * those who never brought anything may take neither places nor money for gas from it.
 */

import type { Address, Hash } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Ledger } from '../money/ledger.ts';
import type { Facts, Honest, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts & Ledger, 'confirmations' | 'head' | 'honest' | 'isExcused'> &
  Pick<Facts & Ledger, 'isInitiator' | 'machine' | 'usualTip' | 'wei'> & {
    /** How many channels the node has with honest partners, and how many with keys of cheats that it never asked for. */
    channelsOf(node: Honest): { honest: bigint; unwanted: number };
  };
type Offer = {
  payer: string;
  payee: string;
  secrethash: Hash;
  paymentId: bigint;
  expiration: bigint;
  /** The block in which the payee wrote the lock down; null: it has not. */
  takenBlock: bigint | null;
  /** Whether the payee has asked for the secret, or passed it back, or need not. */
  isDone: boolean;
};

/** Blocks in which a node that has the lock asks for its secret. */
const PATIENCE = 8n;
/** Blocks by which the head is ahead of what the node acts on, besides the confirmations. */
const LAG = 3n;
/** Fewer channels of strangers are not the reason. */
const LEAST_STRANGERS = 3;
/** Gas that a node wants to have for each channel with somebody honest, and for each of some locks in it. */
const CHANNEL_GAS = 520_000n;
const LOCK_GAS = 100_000n;
const LOCKS = 8n;
/** How much dearer gas may become, by the rules of the node; and blocks for which it remembers what gas cost. */
const SPIKE = 3n;
const REMEMBERED = 60;

export function createServed(needs: Needs): Oracle {
  const { head, wei, honest, machine, confirmations } = needs;
  const offers = new Map<string, Offer>();
  /** Payers by payees with whom a payment ended well; the locks of direct payments; all that was ever seen at a payee. */
  const known = new Set<string>();
  const seen = new Set<string>();
  const prices: bigint[] = [];

  function offer(
    payer: string,
    to: Address,
    terms: Pick<Offer, 'secrethash' | 'paymentId' | 'expiration'>,
  ) {
    const payee = honest(to);
    if (payee === null || !needs.isInitiator(payer, terms.secrethash)) return;
    const key = `${payee.name} ${terms.secrethash}`;
    const again = `${payee.name} ${payer} ${terms.paymentId}`;
    if (offers.has(key)) return;
    const isNew = !seen.has(key) && !seen.has(again);
    seen.add(key).add(again);
    if (isNew)
      offers.set(key, { payer, payee: payee.name, takenBlock: null, isDone: false, ...terms });
  }

  function serve(payee: string, secrethash: Hash) {
    const one = offers.get(`${payee} ${secrethash}`);
    if (one !== undefined) one.isDone = true;
  }

  /** Whether the node's own money is enough for those whom it knows, by its own rules. */
  function hasMoney(node: Honest): boolean {
    const highest = prices.reduce((most, one) => (one > most ? one : most), 0n) + needs.usualTip();
    const gas = needs.channelsOf(node).honest * CHANNEL_GAS + LOCKS * LOCK_GAS;
    return wei(node.address) >= SPIKE * highest * gas;
  }

  function judge(one: Offer) {
    const { payer, payee, takenBlock, secrethash, expiration } = one;
    if (takenBlock === null || one.isDone || head() < takenBlock + PATIENCE) return;
    one.isDone = true;
    const [giver, taker] = [machine(payer), machine(payee)];
    if (!giver?.isFit || !taker?.isFit || !known.has(`${payee} ${payer}`)) return;
    const isShort = expiration - takenBlock <= taker.revealTimeout + confirmations + LAG;
    if (isShort || needs.isExcused(payee, takenBlock) || needs.isExcused(payer, takenBlock)) return;
    const { unwanted } = needs.channelsOf(taker);
    if (unwanted < LEAST_STRANGERS || !hasMoney(taker)) return;
    const text = `${payee} does not ask ${payer} for ${secrethash}, taken at ${takenBlock}`;
    throw new Violation(37, payee, `${text}: ${unwanted} channels of strangers are in the way`);
  }

  return {
    says(who, to, message) {
      // A secret that came with the lock is not asked for, but passed back.
      if (message.type === 'SecretRequest') serve(who, message.secrethash);
      if (message.type === 'RevealSecret') serve(who, secrethashOf(message.secret));
      if (message.type !== 'Update') return;
      for (const change of message.changes)
        if (change.type === 'lock' && change.target === to) {
          const { secrethash, expiration } = change.lock;
          offer(who, to, { secrethash, expiration, paymentId: change.paymentId });
        }
    },
    commit(who, { proofs }) {
      for (const { side, kind, secrethash } of lockChanges(proofs)) {
        const key = `${who} ${secrethash}`;
        const one = side === 'partner' ? offers.get(key) : undefined;
        if (one === undefined) continue;
        if (kind === 'add') one.takenBlock ??= head();
        else offers.delete(key);
        if (kind === 'pay') known.add(`${who} ${one.payer}`);
      }
    },
    block({ baseFee }) {
      prices.push(baseFee);
      if (prices.length > REMEMBERED) prices.shift();
      for (const one of offers.values()) judge(one);
    },
  };
}
