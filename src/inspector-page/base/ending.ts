/** How an actor ended, as one sentence, from its row and as many of its last steps as are known. */

import { shortId } from '../../inspector/texts/short-id.ts';
import type { ListedActor, StepRecords } from '../../inspector/wire.ts';
import { amountText, personName } from '../../page-parts/labels.ts';
import { bigintAt, textAt } from './fields.ts';

/**
 * `verdict`: whether the actor reached its purpose. `transaction`: the hash of the transaction that ended it; the
 * text has it shortened.
 */
export type ActorEnding = { verdict: 'good' | 'bad' | 'over'; text: string; transaction?: string };

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
      return { verdict: 'over', text: 'It has ended.' };
  }
}

type Facts = { row: ListedActor; steps: readonly StepRecords[]; own: string | null };

function ofChannel({ row, steps, own }: Facts): ActorEnding {
  const event = newest(steps, 'event', 'chain.channelSettled');
  const amounts = [1, 2].map((side) => ({
    who: textAt(event, `participant${side}`) ?? '',
    amount: bigintAt(event, `amount${side}`),
  }));
  const ours = amounts.find(({ who }) => who === own)?.amount;
  const theirs = amounts.find(({ who }) => who !== own);
  if (event === null || ours === undefined || ours === null || theirs?.amount == null)
    return { verdict: 'over', text: 'Settled: nothing of this node is left in the contract.' };
  const hash = textAt(event, 'at', 'transactionHash');
  const unlocked = sumOf(steps, own);
  const parts = [
    `this node got ${amountText(ours, row.token)}`,
    `${personName(theirs.who)} ${amountText(theirs.amount, row.token)}`,
    ...(unlocked === 0n ? [] : [`locks brought ${amountText(unlocked, row.token)} more`]),
    ...(hash === null ? [] : [`transaction ${shortId(hash)}`]),
  ];
  const text = `Settled: ${parts.join(', ')}.`;
  return { verdict: 'over', text, ...(hash === null ? {} : { transaction: hash }) };
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
  const sum = row.amount === null ? 'the amount' : amountText(row.amount, row.token);
  if (row.state === 'paid') return { verdict: 'good', text: `Paid: ${who} got ${sum}.` };
  if (row.state === 'replaced')
    return { verdict: 'over', text: 'Over: the payment went on as another attempt.' };
  const why = paymentFailureIn(steps) ?? 'the lock was not claimed';
  return { verdict: 'bad', text: `Failed: ${why}. This node did not pay ${who} ${sum}.` };
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
    const kept = fee === null ? '' : ` This node kept ${amountText(fee, row.token)}.`;
    return { verdict: 'good', text: `Passed on, and paid on both sides.${kept}` };
  }
  if (isPaidOn)
    return { verdict: 'bad', text: 'The payee was paid, and the payer’s lock ran out unpaid.' };
  return { verdict: 'bad', text: 'Not passed on: neither side was paid.' };
}

function ofTarget(row: ListedActor): ActorEnding {
  const sum = row.amount === null ? 'The payment' : amountText(row.amount, row.token);
  const from = row.partner === null ? '' : ` through ${personName(row.partner)}`;
  return row.state === 'paid'
    ? { verdict: 'good', text: `Received: ${sum}${from}.` }
    : { verdict: 'bad', text: `Not received: the lock over ${sum} is gone unpaid.` };
}

function ofWithdrawal(row: ListedActor): ActorEnding {
  const sum = row.amount === null ? 'It' : amountText(row.amount, row.token);
  if (row.state === 'done') return { verdict: 'good', text: `Done: ${sum} was taken out.` };
  return row.state === 'replaced'
    ? { verdict: 'over', text: 'Over: another plan stands in the contract.' }
    : { verdict: 'bad', text: 'Failed: it was never planned, the transaction failed.' };
}

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
