/** Whether the user deposit covers the reward of a monitoring service. If not, no service would take the request. */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Result } from '../../protocol/codes.ts';

/** How often the chain is asked. */
const LOOK_MS = 5_000;

type Options = {
  reward: bigint;
  /** The part of the user deposit that can be promised to services, at the newest block. */
  effectiveDeposit(): Promise<Result<bigint>>;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  /** Called when the reward is covered again after it was not. */
  onCovered(): void;
};

export function createRewardCover({ reward, effectiveDeposit, clock, log, onCovered }: Options) {
  let isCovered: boolean | undefined;
  let isLooking = false;

  async function look() {
    if (isLooking) return;
    isLooking = true;
    const deposit = await effectiveDeposit();
    isLooking = false;
    if (deposit.ok) note(deposit.value);
  }

  function note(deposit: bigint) {
    const before = isCovered ?? true;
    isCovered = deposit >= reward;
    if (before === isCovered) return;
    if (isCovered) {
      log.info({ deposit: String(deposit) }, 'monitoring services are asked again');
      return onCovered();
    }
    log.warn(
      { deposit: String(deposit), reward: String(reward) },
      'the user deposit does not cover the monitoring reward: no service looks after the channels',
    );
  }

  return {
    /** Undefined until the chain has answered. */
    isCovered: (): boolean | undefined => isCovered,
    /** Looks now and every few seconds, until the returned function is called. */
    watch() {
      void look();
      return clock.every(LOOK_MS, () => void look());
    },
  };
}
