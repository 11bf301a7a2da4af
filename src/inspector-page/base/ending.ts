/** How an actor ended, as one sentence, from its row and as many of its last steps as are known. */

import { shortId } from '../../inspector/texts/short-id.ts';
import type { ListedActor, StepRecords } from '../../inspector/wire.ts';
import { amountText, personName } from '../../page-parts/labels.ts';
import { bigintAt, textAt } from './fields.ts';

/** A piece of a sentence: words, or an amount with what it claims to be of the actor. */
type EndingPart = string | { of: string; value: bigint };
/**
 * `verdict`: whether the actor reached its purpose. `transaction`: the hash of the transaction that ended it; the
 * text has it shortened.
 */
export type ActorEnding = {
  verdict: 'good' | 'bad' | 'over';
  parts: readonly EndingPart[];
  transaction?: string;
};

/** The ending as plain text; `token`: of its amounts. */
export function endingText({ parts }: Pick<ActorEnding, 'parts'>, token: string | null): string {
  const text = (part: EndingPart) =>
    typeof part === 'string' ? part : amountText(part.value, token);
  return parts.map(text).join('');
}

/** `own`: this node's address. Null: the actor has not ended. */
export function endingOf(
  row: ListedActor,
  steps: readonly StepRecords[],
  own: string | null,
): ActorEnding | null {
  if (!row.isEnded) return null;
  const facts = { row, steps, own };
  switch (row.machine) {
    case 'channel':
      return ofChannel(facts);
    case 'initiator':
      return ofInitiator(facts);
    case 'mediator':
      return ofMediator(facts);
    case 'target':
      return ofTarget(row);
    case 'withdrawal':
      return ofWithdrawal(row);
    default:
      return { verdict: 'over', parts: ['It has ended.'] };
  }
}

type Facts = { row: ListedActor; steps: readonly StepRecords[]; own: string | null };

function ofChannel({ steps, own }: Facts): ActorEnding {
  const event = newest(steps, 'event', 'chain.channelSettled');
  const amounts = [1, 2].map((side) => ({
    who: textAt(event, `participant${side}`) ?? '',
    amount: bigintAt(event, `amount${side}`),
  }));
  const ours = amounts.find(({ who }) => who === own)?.amount;
  const theirs = amounts.find(({ who }) => who !== own);
  if (event === null || ours === undefined || ours === null || theirs?.amount == null)
    return { verdict: 'over', parts: ['Settled: nothing of this node is left in the contract.'] };
  const hash = textAt(event, 'at', 'transactionHash');
  const unlocked = sumOf(steps, own);
  const parts: EndingPart[] = [
    ...['Settled: this node got ', { of: 'settled.own', value: ours }],
    ...[`, ${personName(theirs.who)} `, { of: 'settled.partner', value: theirs.amount }],
    ...(unlocked === 0n ? [] : [', locks brought ', { of: 'unlocked', value: unlocked }, ' more']),
    hash === null ? '.' : `, transaction ${shortId(hash)}.`,
  ];
  return { verdict: 'over', parts, ...(hash === null ? {} : { transaction: hash }) };
}

/** The amount that this node got from unlocked locks after the settlement. */
function sumOf(steps: readonly StepRecords[], own: string | null): bigint {
  return steps.flat().reduce((sum, record) => {
    if (record.kind !== 'event' || record.event.type !== 'chain.channelUnlocked') return sum;
    const { event } = record;
    const amount = bigintAt(event, 'unlockedAmount') ?? 0n;
    const returned = bigintAt(event, 'returnedTokens') ?? 0n;
    return sum + (textAt(event, 'receiver') === own ? amount : returned);
  }, 0n);
}

function ofInitiator({ row, steps }: Facts): ActorEnding {
  const who = row.target === null ? 'the target' : personName(row.target);
  const sum = amountOf(row, 'the amount');
  if (row.state === 'paid') return { verdict: 'good', parts: [`Paid: ${who} got `, sum, '.'] };
  if (row.state === 'replaced')
    return { verdict: 'over', parts: ['Over: the payment went on as another attempt.'] };
  const why = paymentFailureIn(steps) ?? 'the lock was not claimed';
  const parts = [`Failed: ${why}. This node did not pay ${who} `, sum, '.'];
  return { verdict: 'bad', parts };
}

/** Why a payment failed, without a full stop; null when its last steps do not say. */
export function paymentFailureIn(steps: readonly StepRecords[]): string | null {
  const reason = textAt(newest(steps, 'effect', 'record.paymentFailed'), 'reason');
  return reason === null ? null : reason.replace(/\.$/, '');
}

function ofMediator({ row, steps }: Facts): ActorEnding {
  const isPaid = row.state.includes('payer.paid');
  const isPaidOn = /payee\.(unlocked|claimable)/.test(row.state);
  if (isPaid && isPaidOn) {
    const fee = bigintAt(newest(steps, 'effect', 'record.mediated'), 'fee');
    const kept = fee === null ? [] : [' This node kept ', { of: 'fee', value: fee }, '.'];
    return { verdict: 'good', parts: ['Passed on, and paid on both sides.', ...kept] };
  }
  if (isPaidOn)
    return {
      verdict: 'bad',
      parts: ['The payee was paid, and the payer’s lock ran out unpaid.'],
    };
  return { verdict: 'bad', parts: ['Not passed on: neither side was paid.'] };
}

function ofTarget(row: ListedActor): ActorEnding {
  const sum = amountOf(row, 'the payment');
  const from = row.partner === null ? '.' : ` through ${personName(row.partner)}.`;
  return row.state === 'paid'
    ? { verdict: 'good', parts: ['Received: ', sum, from] }
    : { verdict: 'bad', parts: ['Not received: the lock over ', sum, ' is gone unpaid.'] };
}

function ofWithdrawal(row: ListedActor): ActorEnding {
  if (row.state === 'done')
    return { verdict: 'good', parts: ['Done: ', amountOf(row, 'the amount'), ' was taken out.'] };
  return row.state === 'replaced'
    ? { verdict: 'over', parts: ['Over: another plan stands in the contract.'] }
    : { verdict: 'bad', parts: ['Failed: it was never planned, the transaction failed.'] };
}

/** The amount of a payment or a plan; `words` where it is not known. */
const amountOf = ({ amount }: ListedActor, words: string): EndingPart =>
  amount === null ? words : { of: 'amount', value: amount };

/** The last event or effect of the type; null when the known steps have none. */
function newest(
  steps: readonly StepRecords[],
  kind: 'event' | 'effect',
  type: string,
): Record<string, unknown> | null {
  for (const record of steps.flat().reverse()) {
    if (kind === 'event' && record.kind === 'event' && record.event.type === type)
      return record.event;
    if (kind === 'effect' && record.kind === 'effect' && record.effect.type === type)
      return record.effect;
  }
  return null;
}
