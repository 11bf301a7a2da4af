/** What the books of two nodes say of each other. */
import { expect } from 'vitest';
import type { PaymentEvent } from './api.ts';
import type { StoredChannel } from './ledger.ts';

type Channels = readonly StoredChannel[];

/** Throws unless each side has on record of the other what that says of itself, and no lock is pending. */
export function expectMirrored(alice: Channels, bob: Channels): void {
  const ends = alice.map(({ id, context: { ownEnd, partnerEnd } }) => {
    return [id, amountsOf(ownEnd), amountsOf(partnerEnd)];
  });
  const mirrored = bob.map(({ id, context: { ownEnd, partnerEnd } }) => {
    return [id, amountsOf(partnerEnd), amountsOf(ownEnd)];
  });
  expect(ends).toEqual(mirrored);
  const locked = alice.map(({ context }) => context.ownEnd.locked + context.partnerEnd.locked);
  expect(locked).toEqual(locked.map(() => 0n));
}

/** Nonces are left out: a side counts its withdraw messages too, the other side only its balance proofs. */
function amountsOf({ nonce: _, ...amounts }: Channels[number]['context']['ownEnd']) {
  return amounts;
}

/** Throws unless each payment that `payer` counts as made was received exactly once, and no other was. */
export function expectSamePayments(
  payer: readonly PaymentEvent[],
  payee: readonly PaymentEvent[],
): void {
  const sent = payer.flatMap((event) =>
    event.event === 'EventPaymentSentSuccess' ? [`${event.identifier}: ${event.amount}`] : [],
  );
  const received = payee.flatMap((event) =>
    event.event === 'EventPaymentReceivedSuccess' ? [`${event.identifier}: ${event.amount}`] : [],
  );
  expect(received.toSorted()).toEqual(sent.toSorted());
  expect(new Set(sent).size).toBe(sent.length);
}

/** What came in less what went out. */
export function sumOf(history: readonly PaymentEvent[]): bigint {
  return history.reduce((sum, event) => {
    if (event.event === 'EventPaymentReceivedSuccess') return sum + event.amount;
    return event.event === 'EventPaymentSentSuccess' ? sum - event.amount : sum;
  }, 0n);
}
