/** A node repeats few balance proofs to whoever says nothing: repeating everything makes a slow network slower. */
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

/** What one node has said to another: the identifiers, and how many of them again since it last heard of it. */
type Said = { ids: Set<bigint>; repeats: number; heardBlock: bigint };

/** Once more all that was pending when the other was last heard, and then a few in each block. */
const AT_ONCE = 320;
const EACH_BLOCK = 3n;
/** Identifiers that are remembered for each pair. */
const KEPT = 2_000;

export function createRepeatRule(head: () => bigint): Oracle {
  const pairs = new Map<string, Said>();

  function saidTo(who: string, to: Address): Said {
    const key = `${who} ${to}`;
    return getOrMake(pairs, key, () => ({ ids: new Set(), repeats: 0, heardBlock: head() }));
  }

  return {
    says(who, to, message) {
      // Others are answers, of which each copy of a question gets one.
      if (!('locksroot' in message)) return;
      const { messageId: id } = message;
      const said = saidTo(who, to);
      if (!said.ids.has(id)) {
        said.ids.add(id);
        const [oldest] = said.ids;
        if (said.ids.size > KEPT && oldest !== undefined) said.ids.delete(oldest);
        return;
      }
      said.repeats += 1;
      const most = BigInt(AT_ONCE) + EACH_BLOCK * (head() - said.heardBlock);
      if (BigInt(said.repeats) <= most) return;
      const text = `${who} repeats ${said.repeats} messages to ${to}, which says nothing`;
      throw new Violation(32, who, text);
    },
    hears(who, from) {
      Object.assign(saidTo(who, from), { repeats: 0, heardBlock: head() });
    },
  };
}
