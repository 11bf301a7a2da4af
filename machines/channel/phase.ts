/** The phase of life that a channel is in: the first word of its state. The chart has these and no others. */
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
  // This is called for each lock and message, and `split` would build a list each time.
  const end = state.indexOf('.');
  const word = end < 0 ? state : state.slice(0, end);
  if (isPhase(word)) return word;
  throw new Error(`no channel is ever ${state}`);
}

/** Whether a channel in this state takes payments, as far as the state decides. */
export const isOpen = (state: string): boolean => phaseOf(state) === 'opened';

/** Whether a channel in this state can still be closed, as far as this node knows. */
export function isUnclosed(state: string): boolean {
  const phase = phaseOf(state);
  return phase === 'opened' || phase === 'stale' || phase === 'closing';
}
