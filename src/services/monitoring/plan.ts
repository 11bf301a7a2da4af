/** Decides what to do about a close now. Pure. */
import type { ClosedChannel, Request } from './book.ts';
import type { ChainView } from './contracts.ts';

/** The user deposit has to hold the reward and a tenth more, since it may be spent in the meantime. */
export function coversReward(deposit: bigint, reward: bigint): boolean {
  return deposit * 10n >= reward * 11n;
}

/**
 * Whether the request's balance proof has to be brought on chain now: confirmed blocks do not show it or a later one.
 */
export function isDue(
  close: ClosedChannel,
  request: Request | null,
  firstBlock: bigint,
  headBlock: bigint,
): request is Request {
  if (request === null || close.isSettled) return false;
  if (close.state !== 'watching' && close.state !== 'monitored') return false;
  const isNewer = request.nonce > close.chainNonce && request.nonce > close.nonce;
  return isNewer && headBlock >= firstBlock && headBlock >= close.notBeforeBlock;
}

export type PlannedStep =
  | 'monitor'
  /** The channel is settled, or this balance proof or a later one is on chain already. */
  | 'nothing'
  /** The owner's user deposit cannot pay. It is checked again in the next block. */
  | 'uncovered'
  /** This service is not registered, so the contract accepts nothing from it. */
  | 'unregistered';

export function monitorStep(request: Request, view: ChainView): PlannedStep {
  if (!view.isClosed || view.nonce >= request.nonce) return 'nothing';
  if (!view.isRegistered) return 'unregistered';
  return coversReward(view.effectiveDeposit, request.reward) ? 'monitor' : 'uncovered';
}

/** Whether the reward can be claimed: every proof that could replace this service's is in confirmed blocks by now. */
export function isClaimDue(close: ClosedChannel, confirmedBlock: bigint): boolean {
  return (
    close.state === 'monitored' &&
    confirmedBlock > close.settleBlock &&
    confirmedBlock >= close.notBeforeBlock
  );
}

/** `claim`: the owner's user deposit covers the reward. `later`: it does not, for now. */
export function claimStep(close: ClosedChannel, view: ChainView): 'claim' | 'later' {
  return view.deposit >= close.reward ? 'claim' : 'later';
}
