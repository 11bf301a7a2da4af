/** Only its recipient can read a payload, though everybody can see it. */
import type { Address } from '../../../basics/hex.ts';
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

/** The number of payloads of a run that are checked. */
const LOOKED_AT = 100;
/** A word that every message has. */
const WORD = Buffer.from('"type"');

/** `opens`: whether somebody without the keys of either end can read messages in the payload. */
export function createSeals(opens: (to: Address, payload: Uint8Array) => boolean): Oracle {
  let left = LOOKED_AT;

  return {
    sends(who, to, payload) {
      if (left === 0) return;
      left -= 1;
      if (Buffer.from(payload).includes(WORD) || opens(to, payload))
        throw new Violation(31, who, `${who} sends ${to} what everybody can read`);
    },
  };
}
