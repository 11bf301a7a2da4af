/** Named places in which a test lets the process die. In production every one of them does nothing. */
export const FAULT_POINTS = [
  'commit.before',
  'commit.after',
  'publish.before',
  'publish.after',
  'receive.before',
  'receive.after',
  'job.before',
  'job.after',
  'transaction.signed',
  'transaction.saved',
  'transaction.sent',
  'transaction.replaced',
  'transaction.mined',
  'reply.before',
] as const;
export type Fault = (point: string) => void;

export const noFault: Fault = () => {};

/**
 * Kills the process, without any farewell, when `point` is met for the `nth` time.
 * `text` is "point:nth"; null when it is not of that form.
 */
export function killAt(text: string): Fault | null {
  const [point, nth] = text.split(':');
  const wanted = Number(nth);
  if (!FAULT_POINTS.some((known) => known === point) || !Number.isInteger(wanted) || wanted < 1)
    return null;
  let met = 0;
  return (here) => {
    if (here !== point) return;
    met += 1;
    if (met === wanted) process.kill(process.pid, 'SIGKILL');
  };
}
