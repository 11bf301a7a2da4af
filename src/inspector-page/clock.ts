/** Times of day as people read them, of the browser's own zone. */

/** `time` in milliseconds since 1970. Of today the time, of other days the day as well. */
export function clockText(time: number): string {
  const [at, now] = [new Date(time), new Date()];
  const clock = at.toLocaleTimeString('en', { hour12: false });
  if (at.toDateString() === now.toDateString()) return clock;
  return `${at.toLocaleDateString('en', { day: 'numeric', month: 'short' })} ${clock}`;
}
