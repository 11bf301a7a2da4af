/** Nobody but its recipient can read what a node says, though everybody sees it pass. */
import type { Address } from '../../protocol/hex.ts';
import type { Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

/** Of a run, so many payloads are looked at. */
const LOOKED_AT = 100;
/** In every message. */
const WORD = Buffer.from('"type"');

/** `opens`: whether somebody without the keys of either end makes messages of it. */
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
