/**
 * Whoever sells and has the money of a payment can have it redeemed, once: each payment to a node that sells buys something
 * whose offer ends soon. Mediators decide when its lock comes and when it is paid: whenever that is, nobody may take the
 * money and redeem nothing. Half of the payments are redeemed as soon as they can be, and then asked for again at each
 * block, whatever has died or taken over meanwhile; the others are looked at when the offer has ended.
 *
 * A secret is for one payment: of two payers with the same one, a node takes the payment of whom it shows the secret. What the
 * other one unlocks nevertheless is a gift, which buys nothing.
 */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address, Hash, Secret } from '../../../basics/hex.ts';
import type { Proof } from '../../../node/api/selling/judge.ts';
import type { RunningNode } from '../../../node/start.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { LockChange } from '../../../protocol/messages/changes.ts';
import type { Update } from '../../../protocol/messages/update.ts';
import { lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { createRecent } from '../recent.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'honest' | 'isExcused' | 'machine'> & {
  /** How many blocks an offer of the node is good; null: it sells nothing. */
  offerOf(who: string): bigint | null;
  /** Whether the node forgets payments: then one need not be redeemed, and is not redeemed twice all the same. */
  forgets(who: string): boolean;
  /** Whether its disk has lost writes that it claimed to be durable, as may be those of redemptions. */
  hasLost(who: string): boolean;
  /** Whether the token is what owners deal in: a sale makes a token money to its seller. */
  isMoney(token: Address): boolean;
  /** What redeems the payments of a node; null: it is down. */
  redeemingOf(who: string): Pick<RunningNode['redeeming'], 'network' | 'redeem' | 'verify'> | null;
  /** The present time in seconds since 1970: clocks say when an offer ends, and the newest block may be old. */
  seconds(): number;
};
/** `expires`: when it ends, in seconds since 1970. */
type Offer = { takenBlock: bigint; expires: number };
type Sale = Offer & {
  who: string;
  change: LockChange;
  /** By whom the lock comes, and in which channel. */
  payer: Address;
  channel: string;
  secret: Secret | null;
  /** The block in which the payer unlocked. */
  paidBlock: bigint | null;
  /** Whether its redemption was asked for, and how often it was answered. */
  isAsked: boolean;
  redeemed: number;
};

/** Seconds from one block to the next, before two are known. */
const USUAL_PACE = 12;
/** Blocks within which all is written. */
const LATE = 2n;
/** Offers that are remembered. */
const KEPT = 20_000;

export function createSales(needs: Needs): Oracle {
  const { head, honest, machine, seconds } = needs;
  const offers = createRecent<Offer>(KEPT);
  /** By node and secrethash. */
  const sales = new Map<string, Sale[]>();
  /** Payments that are redeemed on a disk, by node and secrethash. */
  const written = new Set<string>();
  /** Seconds from one block to the next. */
  let pace = USUAL_PACE;
  let before = 0;

  function noteRedemption(who: string, secrethash: Hash, request: string | null) {
    const key = `${who} ${secrethash}`;
    if (request !== null && written.has(key))
      throw new Violation(38, who, `${who} writes a second redemption of ${secrethash}`);
    if (request === null) written.delete(key);
    else written.add(key);
  }

  /** The offer begins when its lock is first seen, on its way or there. Null: nothing is offered for it. */
  function offerFor({ target, initiator, paymentId, lock }: LockChange): Offer | null {
    const who = honest(target)?.name ?? '';
    const blocks = needs.offerOf(who);
    if (blocks === null) return null;
    const key = `${who} ${lock.secrethash} ${initiator} ${paymentId}`;
    const known = offers.get(key);
    if (known !== undefined) return known;
    const offer = { takenBlock: head(), expires: seconds() + Number(blocks) * pace };
    offers.set(key, offer);
    return offer;
  }

  function look(message: Update) {
    for (const change of locksIn(message)) offerFor(change);
  }

  const salesOf = (who: string, secrethash: Hash) => sales.get(`${who} ${secrethash}`) ?? [];

  /** The lock comes to the node that sells. */
  function begin(who: string, payer: Address, channel: string, change: LockChange) {
    const { secrethash } = change.lock;
    const offer = offerFor(change);
    const known = salesOf(who, secrethash);
    if (offer === null || known.some((sale) => sale.channel === channel)) return;
    const sale = { who, change, payer, channel, ...offer };
    const begun = { ...sale, secret: null, paidBlock: null, isAsked: false, redeemed: 0 };
    sales.set(`${who} ${secrethash}`, [...known, begun]);
  }

  function proofOf({ change, expires }: Sale, secret: Secret, network: string): Proof {
    const { paymentId, token, initiator, target } = change;
    // How much reaches a target is the matter of other rules.
    const facts = { amount: 1n, asset: token, payTo: target, maxTimeoutSeconds: 60n };
    const demanded = { scheme: 'channel', network, ...facts };
    const accepted = { ...demanded, paymentId, expires: BigInt(expires) };
    return { demanded, accepted, payer: initiator, paymentId, secret };
  }

  /** The seller's server asks for the redemption: what the payment is good for is handed out with each good answer. */
  function redeem(sale: Sale, secret: Secret) {
    const { who, change } = sale;
    const redeeming = needs.redeemingOf(who);
    if (!isForServer(change) || !needs.isMoney(change.token) || redeeming === null) return;
    sale.isAsked = true;
    const call = { keyed: null, begun: null };
    void redeeming.redeem(proofOf(sale, secret, redeeming.network), call).then(
      (answer) => {
        if (answer.ok && answer.value.isGood) sale.redeemed += 1;
      },
      // The process has ended: whoever asked is not answered.
      () => {},
    );
  }

  function checkOnce({ who, change, redeemed }: Sale) {
    if (redeemed < 2 || needs.hasLost(who)) return;
    throw new Violation(38, who, `${who} redeems ${change.lock.secrethash} ${redeemed} times`);
  }

  /** Whether there is no more to be seen of the sale. */
  function isOver(sale: Sale): boolean {
    const { who, change, secret, paidBlock, takenBlock } = sale;
    checkOnce(sale);
    if (secret === null || paidBlock === null) return head() >= change.lock.expiration + LATE;
    if (head() < paidBlock + LATE || seconds() < sale.expires) {
      redeem(sale, secret);
      return false;
    }
    const redeeming = needs.redeemingOf(who);
    if (redeeming === null || !machine(who)?.isFit) return needs.isExcused(who, takenBlock);
    const judged = redeeming.verify(proofOf(sale, secret, redeeming.network));
    if (judged.isGood && sale.redeemed === 0) return true;
    if (judged.isGood)
      throw new Violation(38, who, `${who} would redeem ${change.lock.secrethash} once more`);
    if (sale.isAsked && judged.reason === 'duplicate_settlement') return true;
    if (needs.forgets(who) || needs.isExcused(who, takenBlock)) return true;
    const text = `${who} was paid at ${paidBlock} for ${change.lock.secrethash}`;
    throw new Violation(38, who, `${text}, and does not redeem it: ${judged.reason}`);
  }

  return {
    hears(who, from, message) {
      if (message.type !== 'Update') return;
      look(message);
      for (const change of locksIn(message))
        if (honest(change.target)?.name === who) begin(who, from, channelActorId(message), change);
    },
    says(who, to, message) {
      if (message.type === 'Update') look(message);
      if (message.type !== 'RevealSecret') return;
      const { secret } = message;
      const sale = salesOf(who, secrethashOf(secret)).find(({ payer }) => payer === to);
      if (sale !== undefined) sale.secret = secret;
    },
    commit(who, { proofs, redemptions }) {
      for (const { secrethash, request } of redemptions) noteRedemption(who, secrethash, request);
      for (const { side, kind, secrethash, channel } of lockChanges(proofs)) {
        if (side !== 'partner' || kind !== 'pay') continue;
        const sale = salesOf(who, secrethash).find((one) => one.channel === channel);
        if (sale !== undefined) sale.paidBlock ??= head();
      }
    },
    block() {
      if (before > 0) pace = Math.max(1, seconds() - before);
      before = seconds();
      for (const [key, all] of sales) {
        const open = all.filter((sale) => !isOver(sale));
        if (open.length > 0) sales.set(key, open);
        else sales.delete(key);
      }
    },
  };
}

const locksIn = ({ changes }: Update): LockChange[] =>
  changes.filter((change) => change.type === 'lock');

/** Whether its seller's server redeems it at once. */
const isForServer = ({ lock }: LockChange): boolean =>
  Number.parseInt(lock.secrethash.slice(-1), 16) % 2 === 0;
