/**
 * Checks whether an IOU pays for a request. Pure; protocol section 7.1. Amounts in the service token's smallest unit.
 */
import { MAX_UINT256 } from '../../basics/amount.ts';
import type { Iou } from '../../protocol/services/iou.ts';
import type { SessionRow } from './iou-rows.ts';
import { type RefusedRequest, refusedRequest } from './refusals.ts';

/** The service's price, its address, chain and contract, and the newest block. */
export type IouTerms = Pick<Iou, 'receiver' | 'chainId' | 'oneToN'> & {
  price: bigint;
  /** The newest block. */
  nowBlock: bigint;
};
/** A session is all IOUs of one sender with one expiration: only its last one is redeemed, and only once. */
export type IouSession = Pick<SessionRow, 'sender' | 'claimableUntil' | 'amount' | 'state'>;

/** A new session must live this long, in blocks: about a week. */
export const SHORTEST_SESSION = 40_320n;
/** A block that no chain reaches: the database could not hold a higher one. */
const LAST_BLOCK = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Why the IOU does not pay, or null. `sessions`: all sessions of its sender. The cashier checks the signature and the
 * deposit.
 */
export function iouRefusal(
  iou: Iou,
  sessions: readonly IouSession[],
  terms: IouTerms,
): RefusedRequest | null {
  if (iou.receiver !== terms.receiver) return refusedRequest('wrong_recipient');
  if (iou.chainId !== terms.chainId) return refusedRequest('wrong_chain');
  if (iou.oneToN !== terms.oneToN) return refusedRequest('wrong_one_to_n');
  if (iou.claimableUntil > LAST_BLOCK || iou.amount > MAX_UINT256) return refusedRequest('bad_iou');
  const same = sessions.find(({ claimableUntil }) => claimableUntil === iou.claimableUntil);
  if (same !== undefined && same.state !== 'open') return refusedRequest('already_claimed');
  const open = openSession(sessions, terms.nowBlock);
  if (open === null && iou.claimableUntil < terms.nowBlock + SHORTEST_SESSION)
    return refusedRequest('expires_too_early', {
      min_expiration: terms.nowBlock + SHORTEST_SESSION,
    });
  if (open !== null && open !== same) return refusedRequest('use_this_iou');
  const expected = expectedAmount(sessions, terms);
  return iou.amount < expected
    ? refusedRequest('insufficient_payment', {
        expected_amount: expected,
        actual_amount: iou.amount,
      })
    : null;
}

/** The session in which further requests are paid; null when a new one may begin. */
export function openSession<S extends IouSession>(
  sessions: readonly S[],
  nowBlock: bigint,
): S | null {
  const isOpen = ({ state, claimableUntil }: IouSession) =>
    state === 'open' && claimableUntil >= nowBlock;
  return sessions.find(isOpen) ?? null;
}

/** The total amount that the next IOU must have. */
export function expectedAmount(
  sessions: readonly IouSession[],
  { price, nowBlock }: Pick<IouTerms, 'price' | 'nowBlock'>,
): bigint {
  return (openSession(sessions, nowBlock)?.amount ?? 0n) + price;
}

/** Blocks before the expiration at which a session is redeemed: about a week. */
const CLAIM_AHEAD = 40_320n;
/** A session with a distant expiration is redeemed after this many blocks: about a month. */
const LONGEST_SESSION = 200_000n;

/** The block from which on a session is redeemed. */
export function iouClaimBlock(session: { claimableUntil: bigint; sinceBlock: bigint }): bigint {
  const ahead = session.claimableUntil - CLAIM_AHEAD;
  const late = session.sinceBlock + LONGEST_SESSION;
  return ahead < late ? ahead : late;
}
