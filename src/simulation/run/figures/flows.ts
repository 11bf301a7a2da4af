/** What went through each channel, as each of its ends has signed and accepted it. */
import type { RecordProof } from '../../../../machines/effects.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';

type Row = { nonce: bigint; transferred: bigint; payments: number };
/** In the token's smallest unit; `payments`: locks that were paid, in both directions. */
export type Flows = { sent: bigint; received: bigint; payments: number };

const NOTHING: Row = { nonce: 0n, transferred: 0n, payments: 0 };

export function createFlows() {
  const rows = new Map<string, Row>();

  return {
    /** The node has written these steps. After its disk lost the newest rows, it takes the same steps again. */
    step(index: number, proofs: readonly RecordProof[]) {
      for (const { side, channel, nonce, transferredAmount, changes } of proofs) {
        const row = getOrMake(rows, `${index} ${side} ${channel}`, () => ({ ...NOTHING }));
        if (nonce <= row.nonce) continue;
        row.nonce = nonce;
        row.transferred = transferredAmount;
        row.payments += changes.filter(({ kind }) => kind === 'pay').length;
      }
    },
    raw: () => [...rows],
    /** Takes over what ends in another part have said. */
    add(raw: readonly [string, Row][]) {
      for (const [key, row] of raw) rows.set(key, row);
    },
    of(index: number, channel: string): Flows {
      const own = rows.get(`${index} own ${channel}`) ?? NOTHING;
      const partner = rows.get(`${index} partner ${channel}`) ?? NOTHING;
      const payments = own.payments + partner.payments;
      return { sent: own.transferred, received: partner.transferred, payments };
    },
  };
}
