/**
 * The locks whose secrets this node may have to register on chain, whether that pays or not: those that it passes on, and
 * those of payments to itself whose secret it shows to a payer that does not have it. That takes gas money and room in
 * blocks, and the payer decides whether it is needed.
 *
 * Other locks for this node take neither. Until it knows the secret, nothing follows from a lock; the initiator itself has
 * the secret already; and what is not worth its gas is paid, or it is not. And its own payments need neither: what it
 * locks for them comes back or was spent.
 */
import type { Address } from '../../basics/hex.ts';
import { isSafeToWait } from '../../protocol/channel/expiration.ts';
import type { Code } from '../../protocol/codes.ts';
import type { LockQuestion, LockRule } from '../runtime/knowledge/lock-gate.ts';
import { isShownTo } from './claims.ts';
import type { PendingLocks } from './pending-locks.ts';

/** A lock of `partner` in `channel` whose secret this node may have to register. */
type Risk = {
  channel: string;
  partner: Address;
  token: Address;
  amount: bigint;
  /** Blocks reserved for its registration. */
  revealTimeout: bigint;
  isForwarded: boolean;
  /** Whether its amount means little to this node. */
  isSmall: boolean;
};
/** Why nothing is promised for the lock, or null. */
export type RiskRule = (risk: Risk) => Code | null;

type Known = {
  pending: Pick<PendingLocks, 'channel' | 'isSmall' | 'isDust' | 'isMoney'>;
  nowBlock(): bigint;
  /** Whether there is money to claim a payment in a token of which the operator has said nothing. */
  canClaim: RiskRule;
};
type Asked = Omit<Risk, 'token' | 'isSmall'>;

/** Judges locks by rules for those that have to be protected; other locks pass. */
export function protecting(
  rules: readonly RiskRule[],
  { pending, nowBlock, canClaim }: Known,
): LockRule {
  return (question) => {
    const asked = askedBy(question, nowBlock());
    if (asked === null) return null;
    const facts = pending.channel(asked.channel);
    if (facts === null) return 'channel_not_open';
    const { token } = facts;
    const { amount, isForwarded } = asked;
    const risk = { ...asked, token, isSmall: pending.isSmall(amount, token) };
    // The operator knows that he may lose small change of his tokens; of others he may have thought nothing.
    if (!isForwarded && pending.isDust(risk)) return pending.isMoney(token) ? null : canClaim(risk);
    for (const rule of rules) {
      const refusal = rule(risk);
      if (refusal !== null) return refusal;
    }
    return null;
  };
}

/** Null: nothing is promised for the lock. */
function askedBy(question: LockQuestion, nowBlock: bigint): Asked | null {
  if (question.kind === 'own') return null;
  if (question.kind === 'forward') {
    const { payer, amountIn: amount } = question.asked;
    const { channel, partner, revealTimeout } = payer;
    return { channel, partner, amount, revealTimeout, isForwarded: true };
  }
  const { channel, asked } = question;
  const { payer: partner, amount, expiration, revealTimeout } = asked;
  if (!isShownTo(asked) || !isSafeToWait(expiration, revealTimeout, nowBlock)) return null;
  return { channel, partner, amount, revealTimeout, isForwarded: false };
}
