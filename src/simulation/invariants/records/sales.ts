/**
 * Whoever sells and has the money of a payment can have it redeemed: each payment to a node that sells buys something
 * whose offer ends soon. Mediators decide when its lock comes and when it is paid: whenever that is, nobody may take the
 * money and redeem nothing.
 */

import type { Secret } from '../../../basics/hex.ts';
import type { Proof } from '../../../node/api/selling/judge.ts';
import type { RunningNode } from '../../../node/start.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { LockChange } from '../../../protocol/messages/changes.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'honest' | 'isExcused' | 'machine'> & {
  /** How many blocks an offer of the node is good; null: it sells nothing. */
  offerOf(who: string): bigint | null;
  /** What redeems the payments of a node; null: it is down. */
  redeemingOf(who: string): Pick<RunningNode['redeeming'], 'network' | 'verify'> | null;
  /** The present time in seconds since 1970: clocks say when an offer ends, and the newest block may be old. */
  seconds(): number;
};
type Sale = {
  who: string;
  change: LockChange;
  takenBlock: bigint;
  /** When the offer ends, in seconds since 1970. */
  expires: number;
  secret: Secret | null;
  /** The block in which the payer unlocked. */
  paidBlock: bigint | null;
};

/** Seconds from one block to the next, before two are known. */
const USUAL_PACE = 12;
/** Blocks within which all is written. */
const LATE = 2n;

export function createSales(needs: Needs): Oracle {
  const { head, honest, machine, seconds } = needs;
  const sales = new Map<string, Sale>();
  /** Seconds from one block to the next. */
  let pace = USUAL_PACE;
  let before = 0;

  /** The offer begins when its lock is first seen, on its way or there. */
  function offer(change: LockChange) {
    const who = honest(change.target)?.name ?? '';
    const key = `${who} ${change.lock.secrethash}`;
    const blocks = needs.offerOf(who);
    if (sales.has(key) || blocks === null) return;
    const expires = seconds() + Number(blocks) * pace;
    sales.set(key, { who, change, takenBlock: head(), expires, secret: null, paidBlock: null });
  }

  function look(message: Message) {
    if (message.type !== 'Update') return;
    for (const change of message.changes) if (change.type === 'lock') offer(change);
  }

  function proofOf({ change, expires }: Sale, secret: Secret, network: string): Proof {
    const { paymentId, token, initiator, target } = change;
    // How much reaches a target is the matter of other rules.
    const facts = { amount: 1n, asset: token, payTo: target, maxTimeoutSeconds: 60n };
    const demanded = { scheme: 'channel', network, ...facts };
    const accepted = { ...demanded, paymentId, expires: BigInt(expires) };
    return { demanded, accepted, payer: initiator, paymentId, secret };
  }

  /** Whether there is no more to be seen of the sale. */
  function isOver(sale: Sale): boolean {
    const { who, change, secret, paidBlock, takenBlock } = sale;
    if (secret === null || paidBlock === null) return head() >= change.lock.expiration + LATE;
    if (head() < paidBlock + LATE || seconds() < sale.expires) return false;
    const redeeming = needs.redeemingOf(who);
    if (redeeming === null || !machine(who)?.isFit) return needs.isExcused(who, takenBlock);
    const judged = redeeming.verify(proofOf(sale, secret, redeeming.network));
    if (judged.isGood || needs.isExcused(who, takenBlock)) return true;
    const text = `${who} was paid at ${paidBlock} for ${change.lock.secrethash}`;
    throw new Violation(38, who, `${text}, and does not redeem it: ${judged.reason}`);
  }

  return {
    hears: (_who, _from, message) => look(message),
    says(who, _, message) {
      look(message);
      if (message.type !== 'RevealSecret') return;
      const sale = sales.get(`${who} ${secrethashOf(message.secret)}`);
      if (sale !== undefined) sale.secret = message.secret;
    },
    commit(who, { proofs }) {
      for (const { side, kind, secrethash } of lockChanges(proofs)) {
        const sale = side === 'partner' ? sales.get(`${who} ${secrethash}`) : undefined;
        if (sale !== undefined && kind === 'pay') sale.paidBlock ??= head();
      }
    },
    block() {
      if (before > 0) pace = Math.max(1, seconds() - before);
      before = seconds();
      for (const [key, sale] of sales) if (isOver(sale)) sales.delete(key);
    },
  };
}
