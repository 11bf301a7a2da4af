/**
 * The locks whose secrets this node may have to register on chain: those that it passes on, or whose secret it requests
 * as the target. That takes gas money and room in blocks, and the payer decides whether it is needed. The node's own
 * payments need neither: what it locks for them comes back or was spent, and the gas for the unlock that brings it back
 * is in the channel's reserve already.
 */
import { revealTimeoutFor } from '../../../machines/channel/timeouts.ts';
import type { Address } from '../../basics/hex.ts';
import { isSafeToWait } from '../../protocol/channel/expiration.ts';
import type { Code } from '../../protocol/codes.ts';
import type { LockQuestion, LockRule } from '../runtime/knowledge/lock-gate.ts';
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

type Known = { pending: Pick<PendingLocks, 'channel' | 'isSmall'>; nowBlock(): bigint };
type Facts = NonNullable<ReturnType<PendingLocks['channel']>>;
type Asked = Pick<Risk, 'channel' | 'partner' | 'amount' | 'isForwarded'> & {
  /** Blocks that are reserved for the registration, by the facts of the channel; null: nothing is promised. */
  reserved(facts: Facts): bigint | null;
};

/** Judges locks by rules for those that have to be protected; other locks pass. */
export function protecting(rules: readonly RiskRule[], { pending, nowBlock }: Known): LockRule {
  return (question) => {
    const asked = askedBy(question, nowBlock());
    if (asked === null) return null;
    const facts = pending.channel(asked.channel);
    if (facts === null) return 'channel_not_open';
    const { reserved, ...lock } = asked;
    const revealTimeout = reserved(facts);
    if (revealTimeout === null) return null;
    const { token } = facts;
    const risk = { ...lock, token, revealTimeout, isSmall: pending.isSmall(lock.amount, token) };
    for (const rule of rules) {
      const refusal = rule(risk);
      if (refusal !== null) return refusal;
    }
    return null;
  };
}

function askedBy(question: LockQuestion, nowBlock: bigint): Asked | null {
  if (question.kind === 'own') return null;
  if (question.kind === 'forward') {
    const { payer, amountIn: amount } = question.asked;
    const { partner, revealTimeout } = payer;
    const reserved = () => revealTimeout;
    return { channel: payer.channel, partner, amount, isForwarded: true, reserved };
  }
  const { channel, partner, lock } = question;
  const reserved = (facts: Facts) => {
    const revealTimeout = revealTimeoutFor(facts, lock, nowBlock);
    return isSafeToWait(lock.expiration, revealTimeout, nowBlock) ? revealTimeout : null;
  };
  return { channel, partner, amount: lock.amount, isForwarded: false, reserved };
}
