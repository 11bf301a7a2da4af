/**
 * Whoever sells and has the money of a payment can have it redeemed: each payment to a node that sells buys something
 * whose offer ends soon. Once the node has shown its payer the secret in time, the money is its own, whenever the payer
 * unlocks: it may redeem the payment then or for as long as the lock lasts, but must not take the money and redeem
 * nothing.
 */
import type { Address, Secret } from '../../../basics/hex.ts';
import type { Proof } from '../../../node/api/selling/judge.ts';
import type { RunningNode } from '../../../node/start.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { LockChange } from '../../../protocol/messages/changes.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'honest' | 'machine'> & {
  isExcused(who: string, sinceBlock: bigint): boolean;
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
  /** The block in which the payer was shown the secret, and the one in which it unlocked. */
  shownBlock: bigint | null;
  paidBlock: bigint | null;
};

/** Seconds from one block to the next, before two are known. */
const USUAL_PACE = 12;
/** Blocks after which a payer that has the secret has not unlocked at once, and within which all is written. */
const LATE = 2n;

export function createSales(needs: Needs): Oracle {
  const { head, honest, machine, seconds } = needs;
  const sales = new Map<string, Sale>();
  /** Seconds from one block to the next. */
  let pace = USUAL_PACE;
  let before = 0;

  function offer(who: string, change: LockChange) {
    const key = `${who} ${change.lock.secrethash}`;
    const blocks = needs.offerOf(who);
    if (sales.has(key) || blocks === null) return;
    const expires = seconds() + Number(blocks) * pace;
    const nothing = { secret: null, shownBlock: null, paidBlock: null };
    sales.set(key, { who, change, takenBlock: head(), expires, ...nothing });
  }

  function proofOf({ change, expires }: Sale, secret: Secret, network: string): Proof {
    const { paymentId, lock, token, initiator, target } = change;
    const facts = { amount: lock.amount, asset: token, payTo: target, maxTimeoutSeconds: 60n };
    const demanded = { scheme: 'channel', network, ...facts };
    const accepted = { ...demanded, paymentId, expires: BigInt(expires) };
    return { demanded, accepted, payer: initiator, paymentId, secret };
  }

  /** Whether there is no more to be seen of the sale. */
  function isOver(sale: Sale): boolean {
    const { who, change, secret, shownBlock, paidBlock } = sale;
    const { expiration } = change.lock;
    const wasInTime = paidBlock !== null && paidBlock + LATE < expiration;
    if (head() >= expiration + LATE) return true;
    if (secret === null || shownBlock === null) return seconds() >= sale.expires;
    if (paidBlock !== null && paidBlock < shownBlock + LATE) return true;
    if (head() < shownBlock + LATE || (paidBlock !== null && head() < paidBlock + LATE))
      return false;
    const redeeming = needs.redeemingOf(who);
    if (redeeming === null || !machine(who)?.isFit) return needs.isExcused(who, sale.takenBlock);
    const judged = redeeming.verify(proofOf(sale, secret, redeeming.network));
    if (judged.isGood) return true;
    if (paidBlock === null) return false;
    if (!wasInTime || judged.reason !== 'expired' || needs.isExcused(who, sale.takenBlock))
      return true;
    const text = `${who} was shown the secret at ${shownBlock} and paid at ${paidBlock}`;
    throw new Violation(38, who, `${text}, and never redeems ${change.lock.secrethash}`);
  }

  return {
    hears(who, _, message) {
      if (message.type === 'Update')
        for (const change of message.changes)
          if (change.type === 'lock' && isFor(who, change.target)) offer(who, change);
    },
    says(who, _, message) {
      if (message.type !== 'RevealSecret') return;
      const sale = sales.get(`${who} ${secrethashOf(message.secret)}`);
      if (sale === undefined || sale.shownBlock !== null || seconds() >= sale.expires) return;
      sale.secret = message.secret;
      sale.shownBlock = head();
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

  function isFor(who: string, target: Address): boolean {
    return honest(target)?.name === who;
  }
}
