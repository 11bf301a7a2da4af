/** Where a channel stands, in words. */
import type { ChannelLine } from '../../../inspector/wire.ts';
import { blockCount } from '../../../page-parts/digits.ts';
import { blocksLeftText } from '../../../page-parts/time-left.ts';

/** `busy`: something is under way; `ending`: no payment goes through it any more. */
export type Standing = { words: string; tone: 'open' | 'busy' | 'ending' };
type Moment = { block: bigint; blockSeconds: number | null };

/** By the outermost state of the channel's chart. */
const ENDINGS: Record<string, string> = {
  closing: 'closing, the transaction is on its way',
  closed: 'closed',
  settling: 'being settled',
  claiming: 'settled, its locks are being unlocked',
  stale: 'frozen: the database is older than what was signed',
  gone: 'settled',
};

export function standingOf(line: ChannelLine, { block, blockSeconds }: Moment): Standing {
  const { state, isOpen, dueBlock, locks } = line;
  const [outer = ''] = state.split(/[.+]/);
  const left = dueBlock === null ? null : dueBlock - block;
  if (!isOpen) {
    const words = ENDINGS[outer] ?? outer;
    if (outer === 'closed' && left !== null && left <= 0n)
      return { words: 'closed, its settlement is due', tone: 'ending' };
    const isTimed = outer === 'closed' && left !== null;
    return {
      words: isTimed ? `${words}, ${blocksLeftText(left, blockSeconds)}` : words,
      tone: 'ending',
    };
  }
  const under = [
    ...(state.includes('depositing') ? ['a deposit is on its way'] : []),
    ...(/withdraw\.(?!idle)/.test(state) ? ['a withdrawal is on its way'] : []),
    ...(locks === 0 ? [] : [`${locks} ${locks === 1 ? 'payment' : 'payments'} in it`]),
    ...(left === null ? [] : [`next deadline in ${blockCount(left)}`]),
  ];
  return under.length === 0
    ? { words: 'open', tone: 'open' }
    : { words: `open, ${under.join(', ')}`, tone: 'busy' };
}
