/** What to do about a close, now. Pure. */
import type { Close, Request } from './book.ts';
import type { ChainView } from './contracts.ts';

/** The user deposit has to hold the reward and a tenth more, since it may be spent in the meantime. */
export function covers(deposit: bigint, reward: bigint): boolean {
  return deposit * 10n >= reward * 11n;
}

/** Whether there is something to hand in that confirmed blocks do not show yet. */
export function isDue(
  close: Close,
  request: Request | null,
  firstBlock: bigint,
  headBlock: bigint,
): request is Request {
  if (request === null || close.isSettled) return false;
  if (close.state !== 'watching' && close.state !== 'monitored') return false;
  const isNewer = request.nonce > close.chainNonce && request.nonce > close.nonce;
  return isNewer && headBlock >= firstBlock && headBlock >= close.notBeforeBlock;
}

export type Step =
  | 'monitor'
  /** The channel is settled, or this proof or a later one stands on chain: the owner was awake. */
  | 'nothing'
  /** The owner cannot pay. It is looked at again in the next block. */
  | 'uncovered'
  /** The contract takes nothing from this service. */
  | 'unregistered';

export function monitorStep(request: Request, view: ChainView): Step {
  if (!view.isClosed || view.nonce >= request.nonce) return 'nothing';
  if (!view.isRegistered) return 'unregistered';
  return covers(view.effectiveDeposit, request.reward) ? 'monitor' : 'uncovered';
}

/** Whether the reward is looked after: every proof that could take its place is in confirmed blocks. */
export function isClaimDue(close: Close, confirmedBlock: bigint): boolean {
  return (
    close.state === 'monitored' &&
    confirmedBlock > close.settleBlock &&
    confirmedBlock >= close.notBeforeBlock
  );
}

/** `claim`: the deposit pays. `later`: it does not, for now. */
export function claimStep(close: Close, view: ChainView): 'claim' | 'later' {
  return view.deposit >= close.reward ? 'claim' : 'later';
}
