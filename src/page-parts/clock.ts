/** Times of day as people read them, in the browser's time zone. */

/** `time` in milliseconds since 1970. For a time of today only the time of day, for others the day as well. */
export function clockText(time: number): string {
  const [at, now] = [new Date(time), new Date()];
  const clock = at.toLocaleTimeString('en', { hour12: false });
  if (at.toDateString() === now.toDateString()) return clock;
  return `${at.toLocaleDateString('en', { day: 'numeric', month: 'short' })} ${clock}`;
}
