/** In which part of its life a channel is: the first word of its state. The chart has these and no others. */
export type ChannelPhase =
  | 'opened'
  | 'stale'
  | 'closing'
  | 'closed'
  | 'settling'
  | 'claiming'
  | 'gone';

const PHASES: Readonly<Record<ChannelPhase, true>> = {
  opened: true,
  stale: true,
  closing: true,
  closed: true,
  settling: true,
  claiming: true,
  gone: true,
};

const isPhase = (word: string): word is ChannelPhase => Object.hasOwn(PHASES, word);

/** `state`: dotted text, as `opened.deposit.idle`. Throws on a state that no channel has. */
export function phaseOf(state: string): ChannelPhase {
  // Asked for each lock and message: `split` would build a list for it.
  const end = state.indexOf('.');
  const word = end < 0 ? state : state.slice(0, end);
  if (isPhase(word)) return word;
  throw new Error(`no channel is ever ${state}`);
}

/** Whether it takes payments, as far as its state goes. */
export const isOpen = (state: string): boolean => phaseOf(state) === 'opened';

/** Whether it can still be closed, as far as this node knows. */
export function isUnclosed(state: string): boolean {
  const phase = phaseOf(state);
  return phase === 'opened' || phase === 'stale' || phase === 'closing';
}
