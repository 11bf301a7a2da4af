/**
 * What a payer is told has arrived is in the payee's history, with at least the amount and once; and what is in there
 * the payer does not call failed, unless its money is left: a node between them may have paid and asked nobody for it.
 */

import type { RecordPayment } from '../../../../machines/effects.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { createPurses } from '../money/purses.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channelOf' | 'head' | 'honest' | 'isExcused' | 'machine' | 'secretBlock'>;
/** How a history has a payment. */
type Entry = { amount: bigint; other: Address; block: bigint };

/** Blocks before the payer's record in which the payee may have been kept from its claim. */
const CLAIMING = 100n;
/** Payments whose end is remembered. */
const KEPT = 20_000;

export function createReceipts(needs: Needs): Oracle {
  const { head, honest, machine, isExcused } = needs;
  const purses = createPurses(needs);
  /** By the node whose history has it, and the secrethash, as far as the other end's does not have it, too. */
  const sent = new Map<string, Entry>();
  const received = new Map<string, Entry>();
  const failed = createRecent<Hash>(KEPT);
  /** Payments that both histories have. */
  const met = createRecent<true>(KEPT);

  const keyOf = (who: string, secrethash: Hash) => `${who} ${secrethash}`;

  /** Both histories have the payment. */
  function meet(payee: string, secrethash: Hash, paid: Entry, got: Entry) {
    met.set(keyOf(payee, secrethash), true);
    if (got.amount >= paid.amount) return;
    throw new Violation(8, payee, `${payee} got ${got.amount} of a payment of ${paid.amount}`);
  }

  function notePaid(who: string, secrethash: Hash, entry: Entry) {
    const payee = honest(entry.other);
    if (payee === null) return;
    const key = keyOf(payee.name, secrethash);
    const got = received.get(key);
    if (got === undefined) return void sent.set(keyOf(who, secrethash), entry);
    received.delete(key);
    meet(payee.name, secrethash, entry, got);
  }

  function noteReceived(who: string, secrethash: Hash, entry: Entry) {
    const payer = honest(entry.other);
    if (payer === null) return;
    const key = keyOf(who, secrethash);
    if (received.has(key) || met.get(key))
      throw new Violation(29, who, `${who} counts ${secrethash} as received twice`);
    const paid = sent.get(keyOf(payer.name, secrethash));
    if (paid === undefined) return void received.set(key, entry);
    sent.delete(keyOf(payer.name, secrethash));
    meet(who, secrethash, paid, entry);
  }

  function note(who: string, payment: RecordPayment) {
    const { secrethash, amount } = payment;
    const block = head();
    if (payment.type === 'record.paymentReceived')
      noteReceived(who, secrethash, { amount, other: payment.initiator, block });
    else if (payment.type === 'record.paymentSent')
      notePaid(who, secrethash, { amount, other: payment.target, block });
    else failed.set(keyOf(who, secrethash), secrethash);
  }

  function checkSent(key: string, { amount, other, block }: Entry) {
    const [who = '', secrethash] = key.split(' ');
    const payee = honest(other);
    const sinceBlock = block > CLAIMING ? block - CLAIMING : 0n;
    if (payee === null || !payee.isFit || isExcused(payee.name, sinceBlock)) return;
    const text = `${who} has paid ${amount} for ${secrethash}, which ${payee.name} never got`;
    throw new Violation(8, who, text);
  }

  function checkReceived(key: string, { amount, other }: Entry) {
    const [who = '', secrethash] = key.split(' ');
    const payer = honest(other);
    const payee = machine(who);
    if (payer === null || payee === null || !payer.isFit) return;
    const lost = failed.get(`${payer.name} ${secrethash}`);
    if (lost !== undefined && purses.isLeft(payer, payee, lost)) return;
    const says = lost === undefined ? 'knows nothing of it' : 'calls it failed';
    const text = `${who} got ${amount} for ${secrethash}, and ${payer.name} ${says}`;
    throw new Violation(8, payer.name, text);
  }

  return {
    commit(who, { payments, proofs }) {
      purses.commit(who, proofs);
      for (const payment of payments) note(who, payment);
    },
    end() {
      for (const [key, entry] of sent) if (machine(ownerOf(key)) !== null) checkSent(key, entry);
      for (const [key, entry] of received) checkReceived(key, entry);
    },
  };
}

const ownerOf = (key: string): string => key.split(' ', 1)[0] ?? '';
