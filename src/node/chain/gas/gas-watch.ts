/**
 * The account's money for gas and the price of gas, kept in memory: rules that are judged within a turn cannot wait for
 * an endpoint.
 *
 * A figure that is too old counts as unknown, so an endpoint that falls silent, or a process that slept, makes nothing
 * look affordable. A price is remembered for as long as a spike may last, so that one cheap block neither allows what
 * the next block could not pay, nor makes the operator's notification appear and disappear.
 */

import { larger } from '../../../basics/amount.ts';
import type { Clock } from '../../../basics/environment.ts';
import type { Address } from '../../../basics/hex.ts';
import type { ChainReads } from '../../../chain/reads.ts';

const LOOK_MS = 5_000;
/** An answer may take three tries of ten seconds each; a figure older than two such answers is not relied on. */
const MOST_AGE_MS = 60_000;
const PRICE_MEMORY_MS = 600_000;

/** In wei: what the account can still spend, and the highest price for a unit of gas of the last minutes. */
export type GasMoney = { spare: bigint; price: bigint };
export type GasWatch = ReturnType<typeof createGasWatch>;

type Options = {
  own: Address;
  reads: Pick<ChainReads, 'nativeBalance' | 'gasPrice'>;
  clock: Clock;
  /** Most that the transactions under way can cost, in wei. */
  reserved(): bigint;
  /** Called after each look. */
  onLooked(): void;
};

export function createGasWatch({ own, reads, clock, reserved, onLooked }: Options) {
  let balance: { wei: bigint; reserved: bigint; at: number } | null = null;
  let prices: { wei: bigint; at: number }[] = [];
  let running: Promise<void> | null = null;
  /** When the last look was over, whatever the endpoint said. */
  let lookedAt: number | null = null;
  let hasBegun = false;

  async function ask() {
    const before = reserved();
    const [held, price] = await Promise.all([reads.nativeBalance(own), reads.gasPrice()]);
    const at = clock.now();
    // A transaction mined meanwhile is in one of the two figures, whichever block the balance is of.
    const most = larger(before, reserved());
    if (held.ok) balance = { wei: held.value, reserved: most, at };
    if (price.ok) prices = [...kept(), { wei: price.value, at }];
    lookedAt = at;
    hasBegun ||= held.ok && price.ok;
    onLooked();
  }

  // After a clock was set back, figures may seem to come from the future: those are left out, too.
  const isLate = ({ at }: { at: number }) => Math.abs(clock.now() - at) > MOST_AGE_MS;

  /** The prices that are not forgotten yet. It is asked for every lock: the clock is read once for all of them. */
  function kept() {
    const now = clock.now();
    return prices.filter(({ at }) => Math.abs(now - at) < PRICE_MEMORY_MS);
  }

  function look(): Promise<void> {
    running ??= ask().finally(() => {
      running = null;
    });
    return running;
  }

  /** Begins a new look now: one that is already running may have asked before something changed. */
  async function lookAfresh(): Promise<void> {
    await running;
    await look();
  }

  return {
    /** Looks now, and every few seconds from here on, until the returned function is called. */
    start(onFailure: (error: unknown) => void): () => void {
      const tick = () => void look().catch(onFailure);
      const stop = clock.every(LOOK_MS, tick);
      tick();
      return stop;
    },
    lookAfresh,
    /**
     * Whether the endpoint was asked lately, whatever it said. If not, the process has just started or slept: it is
     * better not to hear a lock yet than to refuse it for a figure that the next look brings.
     */
    hasLooked: () => lookedAt !== null && !isLate({ at: lookedAt }),
    /** Whether the figures were ever known: before, nobody knows what is to be kept. */
    hasBegun: () => hasBegun,
    /** Null when the figures are not known, or too old. */
    money(): GasMoney | null {
      const newest = prices.at(-1);
      if (balance === null || newest === undefined) return null;
      if (isLate(balance) || isLate(newest)) return null;
      const spare = balance.wei - larger(balance.reserved, reserved());
      const price = kept().reduce((most, { wei }) => larger(most, wei), 0n);
      return { spare, price };
    },
  };
}
