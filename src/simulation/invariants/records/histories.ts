/** No history shows the secret of a payment that was not paid: it may still protect money. */
import type { RecordPayment } from '../../../../machines/effects.ts';
import { isHexOf } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

const HASHES = /0x[0-9a-f]{64}/gi;

export const HISTORIES: Oracle = {
  commit(who, { payments }) {
    for (const payment of payments) check(who, payment);
  },
};

function check(who: string, payment: RecordPayment): void {
  if (payment.type !== 'record.paymentFailed') return;
  for (const [text] of payment.reason.matchAll(HASHES))
    if (isHexOf(text, 32) && secrethashOf(text) === payment.secrethash)
      throw new Violation(31, who, `${who} tells the secret of ${payment.secrethash}`);
}
