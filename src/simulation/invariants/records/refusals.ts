/**
 * What a node refuses to its owner while nothing is in its way, it refuses for a reason that is so: its code says which, and
 * the chain has it, or will have it in a few blocks, as where a close was under way.
 */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Address } from '../../../basics/hex.ts';
import type { UserAccount } from '../../chain/contracts/user-deposit.ts';
import type { Facts } from '../oracle.ts';
import { Violation } from '../violation.ts';

/** What an owner asks for: in a channel with a partner, or of the contract for services (`do` says which). In smallest units. */
export type Request = { do: string; partner: Address | null; amount: bigint };
type Needs = Pick<
  Facts,
  'channelOf' | 'head' | 'honest' | 'machine' | 'tokenNetwork' | 'undisturbedSince'
> & {
  /** The pair's present channel; 0n: it has none. */
  channelIdOf(pair: readonly [Address, Address]): bigint;
  /** Tokens in the account: of services, or those of channels. */
  tokensOf(owner: Address, isOfServices: boolean): bigint;
  userDepositOf(owner: Address): UserAccount;
  /** What the node shows as its balance in the channel with the partner, which another rule checks. */
  balanceOf(who: string, partner: Address): bigint;
};
/** `isPayable`: the channel with the partner has the amount, and had it when it was asked for. */
type Asked = Request & { who: string; own: Address; block: bigint; isPayable: boolean };
type Refused = Asked & { code: string; untilBlock: bigint };

/** Blocks in which what was under way is mined and seen. */
const SEEN = 6n;
/** Blocks in which a request that failed may go on: a withdrawal that the partner may still agree to. */
const LASTING = 60n;
/** What concerns all partners. */
const OF_ALL: ReadonlySet<string> = new Set(['join', 'leave']);
/** Why a payment found no way to begin; others end on their way for many reasons. */
const OF_ROUTES: ReadonlySet<string> = new Set(['insufficient_balance', 'no_route']);

export type Refusals = ReturnType<typeof createRefusals>;

export function createRefusals(needs: Needs) {
  const { channelOf, head, honest, tokenNetwork, undisturbedSince } = needs;
  const asked: Asked[] = [];
  const refused: Refused[] = [];
  /** Nodes whose channels may only be closed, since the chain has lost something of them. */
  const replaced = new Set<string>();

  function isOpen({ own, partner }: Asked): boolean {
    const channelId = partner === null ? 0n : needs.channelIdOf([own, partner]);
    return channelOf(channelActorId({ tokenNetwork, channelId }))?.state === 'opened';
  }

  const isSilent = ({ partner }: Asked) => partner !== null && honest(partner) === null;

  /** Whether something else was asked for that the node can only do one after the other. */
  function isBusy(one: Refused): boolean {
    const isAbout = ({ do: what, partner }: Asked) => partner === one.partner || OF_ALL.has(what);
    const others = asked.filter(
      (other) => other.who === one.who && other.block <= one.block && isAbout(other),
    );
    return others.length > 1;
  }

  function isSo(one: Refused): boolean {
    const { who, own, partner, amount, code } = one;
    const { balance, planned, firstBlock } = needs.userDepositOf(own);
    // A direct channel that has the amount is a way.
    const mayPay = one.isPayable && isOpen(one) && !isSilent(one) && !replaced.has(who);
    if (one.do === 'pay') return !mayPay;
    switch (code) {
      case 'busy':
        return isBusy(one) || (partner !== null && !isOpen(one));
      case 'total_not_higher':
        return isBusy(one);
      case 'channel_exists':
        return partner !== null && needs.channelIdOf([own, partner]) !== 0n;
      case 'unknown_channel':
      case 'channel_not_open':
      case 'channel_closed':
        return !isOpen(one);
      case 'transaction_failed':
        return partner !== null && one.do !== 'open_channel' && !isOpen(one);
      case 'above_balance':
        return partner === null ? balance < amount : needs.balanceOf(who, partner) < amount;
      case 'above_plan':
        return planned < amount;
      case 'too_early':
        return head() - SEEN < firstBlock;
      case 'insufficient_balance':
        return needs.tokensOf(own, one.do.includes('_user_')) < amount;
      case 'partner_silent':
        return isSilent(one);
      default:
        return false;
    }
  }

  /** Drops what is so, and reports what has not become so in time. */
  function look(isEnd: boolean): void {
    for (const one of refused.splice(0)) {
      if (isSo(one) || needs.machine(one.who) === null) continue;
      if (!isEnd && head() < one.untilBlock) refused.push(one);
      else {
        const text = `${one.who} refuses ${one.do} of ${one.amount} at ${one.block}: ${one.code}`;
        throw new Violation(27, one.who, `${text}, which is not so`);
      }
    }
  }

  return {
    /** An owner asks the node. The returned function takes the code of its answer; null: it is done. */
    asks(who: string, request: Request): (code: string | null) => void {
      const own = needs.machine(who)?.address;
      if (own === undefined) return () => {};
      const { partner, amount } = request;
      const canCarry = () => partner !== null && needs.balanceOf(who, partner) >= amount;
      const isPayable = canCarry();
      const one: Asked = { ...request, who, own, block: head(), isPayable };
      while ((asked[0]?.block ?? head()) + LASTING < head()) asked.shift();
      if (request.do !== 'pay') asked.push(one);
      return (code) => {
        const since = undisturbedSince();
        if (code === null || since === null || since >= one.block) return;
        if (request.do === 'pay' && !OF_ROUTES.has(code)) return;
        // What was asked for at the same time may have taken it.
        refused.push({
          ...one,
          code,
          isPayable: isPayable && canCarry(),
          untilBlock: head() + SEEN,
        });
      };
    },
    replaced: (who: string) => void replaced.add(who),
    block: () => look(false),
    end: () => look(true),
  };
}
