/**
 * How far a run has come: one line on the terminal that is written over. Once a minute it is written in any case: below the
 * last one where there is no terminal, as in the log of a build server, and also while there is nothing new to say, so
 * that nobody takes a long run for a dead one.
 */
import { session } from '../process/session.ts';
import { duration, figure } from './output.ts';

export type ProgressLine = {
  /** `share`: how much of the work is done, from 0 to 1. `text`: the rest of the line. */
  show(share: number, text: string): void;
  /** Ends the line and removes it, so that something else can be printed. */
  clear(): void;
};

const QUIET_MS = 60_000;

export function createProgressLine(): ProgressLine {
  const { err } = session();
  const isTerminal = err.isTTY === true;
  const begun = performance.now();
  let newest = () => 'preparing';
  let isDirty = false;

  function write(text: string) {
    if (!isTerminal) return void err.write(`${text}\n`);
    err.write(`\r\x1b[K${text.slice(0, (err.columns || 80) - 1)}`);
    isDirty = true;
  }
  const reminder = setInterval(
    () => write(`${duration(performance.now() - begun)}: ${newest()}`),
    QUIET_MS,
  ).unref();

  return {
    show(share, text) {
      newest = () => {
        const left = ((performance.now() - begun) * (1 - share)) / share;
        return `${Math.floor(share * 100)} %, ${text}${share <= 0 ? '' : `, ${duration(left)} left`}`;
      };
      if (isTerminal) write(newest());
    },
    clear() {
      clearInterval(reminder);
      if (isDirty) err.write('\r\x1b[K');
      isDirty = false;
    },
  };
}

/** Makes texts such as "1,200 steps a second". */
export function createRate(what: string): (count: number) => string {
  const begun = performance.now();
  return (count) => {
    const seconds = Math.max(0.001, (performance.now() - begun) / 1000);
    return `${figure(Number((count / seconds).toPrecision(3)))} ${what} a second`;
  };
}
