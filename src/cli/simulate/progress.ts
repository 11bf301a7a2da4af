/** One line on the terminal that shows the progress; nothing when there is no terminal. */
import { session } from '../session.ts';
import { duration, figure } from './output.ts';

export type ProgressLine = {
  /** `share`: how much of the work is done, from 0 to 1. `text`: the rest of the line. */
  show(share: number, text: string): void;
  /** Removes the line, so that something else can be printed. */
  clear(): void;
};

export function createProgressLine(): ProgressLine {
  const { err } = session();
  const isShown = err.isTTY === true;
  const begun = performance.now();
  let isDirty = false;

  return {
    show(share, text) {
      if (!isShown) return;
      const left =
        share <= 0 ? '' : `, ${duration(((performance.now() - begun) * (1 - share)) / share)} left`;
      const line = `${Math.floor(share * 100)} %, ${text}${left}`;
      err.write(`\r\x1b[K${line.slice(0, (err.columns || 80) - 1)}`);
      isDirty = true;
    },
    clear() {
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
