/** Takes IOUs for requests: from each sender one at a time, each worth more than the one before. */

import { type Address, fromHex, type Signature } from '../../basics/hex.ts';
import { microsecondsOf } from '../../basics/timestamp.ts';
import type { ChainClient } from '../../chain/client.ts';
import { type Iou, iouDigest, iouQueryDigest } from '../../protocol/services/iou.ts';
import { type ChainHead, createDeposits } from './deposits.ts';
import { expectedAmount, type IouTerms, iouRefusal, openSession } from './iou-checks.ts';
import type { IouRows, SessionRow } from './iou-rows.ts';
import { type RefusedRequest, refusedRequest } from './refusals.ts';

export type TakenIou = Iou & { signature: Signature };
export type CashierParts = {
  client: ChainClient;
  rows: IouRows;
  /** Runs `work` as one durable transaction, at once. */
  write: (work: () => void) => void;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  terms: Pick<IouTerms, 'receiver' | 'chainId' | 'oneToN' | 'price'>;
  userDeposit: Address;
  head: () => ChainHead;
  now: () => number;
  /** Whether an IOU could be redeemed; null: not known yet. */
  takesOn: () => boolean | null;
};
export type Cashier = ReturnType<typeof createCashier>;

/** The deposit must cover this many times the debt, because the sender may owe others, too. */
const DEPOSIT_FACTOR = 2n;
const OLDEST_QUERY = 3_600_000_000n;

export function createCashier(parts: CashierParts) {
  const { client, rows, write, recover, terms, userDeposit, head, now } = parts;
  const deposits = createDeposits({ client, userDeposit, head, now });
  const termsNow = (): IouTerms => ({ ...terms, nowBlock: head().nowBlock });

  function refusalOf(iou: Iou, sessions: readonly SessionRow[]): RefusedRequest | null {
    const refusal = iouRefusal(iou, sessions, termsNow());
    if (refusal?.refusal !== 'use_this_iou') return refusal;
    return refusedRequest('use_this_iou', { iou: lastOf(sessions) });
  }

  function lastOf(sessions: readonly SessionRow[]): IouView | null {
    const row = openSession(sessions, head().nowBlock);
    return row === null ? null : iouView({ ...terms, ...row });
  }

  /** Why the IOU does not pay for a request; null when it does, then `take` may be called. */
  async function check(iou: TakenIou): Promise<RefusedRequest | null> {
    const takesOn = parts.takesOn();
    if (takesOn !== true)
      return refusedRequest(takesOn === null ? 'chain_unavailable' : 'not_registered');
    if (recover(iouDigest(iou), fromHex(iou.signature)) !== iou.sender)
      return refusedRequest('invalid_signature');
    const sessions = rows.of(iou.sender);
    const refusal = refusalOf(iou, sessions);
    if (refusal !== null) return refusal;
    const wanted = DEPOSIT_FACTOR * expectedAmount(sessions, termsNow());
    try {
      const hasPaid = openSession(sessions, head().nowBlock) !== null;
      const deposit = await deposits.leastOf(iou.sender, wanted, hasPaid);
      if (!deposit.ok) return refusedRequest('too_many_strangers');
      if (deposit.least >= wanted) return null;
      return refusedRequest('deposit_too_low', {
        required_deposit: wanted,
        seen_deposit: deposit.least,
      });
    } catch {
      return refusedRequest('chain_unavailable');
    }
  }

  return {
    price: terms.price,
    check,
    /**
     * Takes a checked IOU; null: it is on disk, and the request may be answered. Refused when another IOU of the sender
     * was taken first.
     */
    take(iou: TakenIou): RefusedRequest | null {
      const { sender, claimableUntil, amount, signature } = iou;
      const refusal = refusalOf(iou, rows.of(sender));
      if (refusal !== null) return refusal;
      const sinceBlock = head().nowBlock;
      // A session that exists already keeps its first block.
      write(() =>
        rows.put({ sender, claimableUntil, amount, signature, sinceBlock, state: 'open' }),
      );
      return null;
    },
    /** The newest IOU of the sender, who must have signed the query; null when there is no open session. */
    last(query: {
      sender: Address;
      receiver: Address;
      timestamp: string;
      signature: Signature;
    }): { ok: true; iou: IouView | null } | RefusedRequest {
      const { sender, receiver, timestamp, signature } = query;
      if (receiver !== terms.receiver) return refusedRequest('wrong_recipient');
      const age = BigInt(now()) * 1_000n - microsecondsOf(timestamp);
      if (age > OLDEST_QUERY || age < -OLDEST_QUERY) return refusedRequest('outdated');
      const digest = iouQueryDigest(sender, receiver, timestamp);
      if (recover(digest, fromHex(signature)) !== sender)
        return refusedRequest('invalid_signature');
      return { ok: true, iou: lastOf(rows.of(sender)) };
    },
  };
}

/** An IOU as JSON; a bigint becomes an integer. Its expiration has two names, because clients know one or the other. */
export type IouView = ReturnType<typeof iouView>;

function iouView(iou: TakenIou) {
  return {
    sender: iou.sender,
    receiver: iou.receiver,
    amount: iou.amount,
    expiration_block: iou.claimableUntil,
    claimable_until: iou.claimableUntil,
    one_to_n_address: iou.oneToN,
    chain_id: iou.chainId,
    signature: iou.signature,
  };
}
