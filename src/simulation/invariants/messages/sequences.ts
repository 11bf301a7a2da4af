/** A step that a node has signed or taken changes nothing when it comes again, nor does an earlier one. */
import type { RecordProof } from '../../../../machines/effects.ts';
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

export function createSequences(): Oracle {
  /** The nonce of the newest step, by node, channel and side. */
  const newest = new Map<string, bigint>();

  function step(who: string, { channel, side, nonce }: RecordProof) {
    const key = `${who} ${channel} ${side}`;
    const before = newest.get(key) ?? 0n;
    if (nonce <= before) {
      const text = `${who} does step ${nonce} of the ${side} side of ${channel} after step ${before}`;
      throw new Violation(34, who, text);
    }
    newest.set(key, nonce);
  }

  return {
    commit(who, { proofs, gone }) {
      for (const proof of proofs) step(who, proof);
      for (const channel of gone)
        for (const side of ['own', 'partner']) newest.delete(`${who} ${channel} ${side}`);
    },
  };
}
