/**
 * The globals of the thread in which a simulation runs: for libraries they follow virtual time and the seed. The
 * node's own code gets clock and random numbers as arguments, and uses no globals for them.
 *
 * Nothing may reach the real network: `fetch` goes to the simulated services or fails.
 */
import type { Draw } from './randomness.ts';
import type { Cancel, Scheduler } from './scheduler.ts';

type Options = {
  scheduler: Scheduler;
  draw: Draw;
  /** Sends a request to the simulated services. */
  fetch(request: Request): Promise<Response>;
};
type Work = (...args: unknown[]) => void;

/** Installs the virtual globals in this thread; the returned function restores the real ones. */
export function installGlobals({ scheduler, draw, fetch }: Options): () => void {
  const real = {
    Date,
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    setImmediate,
    clearImmediate,
    fetch: globalThis.fetch,
  };
  const realRandom = Math.random;
  const timer = (cancel: () => void) => {
    const handle = { cancel, ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle;
  };
  const clear = (handle: { cancel?: () => void } | null | undefined) => handle?.cancel?.();
  const virtual = {
    Date: virtualDate(scheduler),
    setTimeout: (work: Work, ms = 0, ...args: unknown[]) =>
      timer(
        inTurn(
          scheduler,
          () => work(...args),
          (due) => scheduler.after(ms, due),
        ),
      ),
    setInterval: (work: Work, ms = 0, ...args: unknown[]) =>
      // With a period of 0, time would never move on.
      timer(
        inTurn(
          scheduler,
          () => work(...args),
          (due) => scheduler.every(Math.max(1, ms), due),
        ),
      ),
    setImmediate: (work: Work, ...args: unknown[]) =>
      timer(
        inTurn(
          scheduler,
          () => work(...args),
          (due) => scheduler.after(0, due),
        ),
      ),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    fetch: (input: string | URL | Request, init?: RequestInit) => fetch(new Request(input, init)),
  };
  const realTimeout = AbortSignal.timeout;
  Object.assign(globalThis, virtual);
  Math.random = draw.fraction;
  AbortSignal.timeout = (ms) => {
    const ending = new AbortController();
    scheduler.after(ms, () => ending.abort(new DOMException('too late', 'TimeoutError')));
    return ending.signal;
  };
  return () => {
    Object.assign(globalThis, real);
    AbortSignal.timeout = realTimeout;
    Math.random = realRandom;
  };
}

/**
 * Plans the work of a timer with `plan`. If a process whose code takes time set it, the work is done when the process comes
 * to it; while it waits, it does not become due again. The returned function cancels it.
 */
function inTurn(scheduler: Scheduler, work: () => void, plan: (due: () => void) => Cancel): Cancel {
  const owner = scheduler.owner();
  if (owner === null) return plan(work);
  let isWaiting = false;
  let isOver = false;
  const cancel = plan(() => {
    if (isWaiting) return;
    isWaiting = true;
    owner.later(() => {
      isWaiting = false;
      if (!isOver) work();
    });
  });
  return () => {
    isOver = true;
    cancel();
  };
}

/** Handles dates as usual, but the present time is that of the simulated world. */
function virtualDate(scheduler: Scheduler): DateConstructor {
  return new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [scheduler.now()] : args, newTarget),
    get: (target, key, receiver) =>
      key === 'now' ? scheduler.now : Reflect.get(target, key, receiver),
  });
}
