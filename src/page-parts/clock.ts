/** Times of day as people read them, in the browser's time zone. */

/**
 * `time` in milliseconds since 1970. For a time of today only the time of day, for others the day as well, with the year when
 * it is another one.
 */
export function clockText(time: number): string {
  const [at, now] = [new Date(time), new Date()];
  const clock = at.toLocaleTimeString('en', { hourCycle: 'h23' });
  if (at.toDateString() === now.toDateString()) return clock;
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const };
  return `${at.toLocaleDateString('en', { day: 'numeric', month: 'short', ...year })} ${clock}`;
}

/** The browser's time zone, `Europe/Berlin (UTC+1)`: said once on a page whose times are those of `clockText`. */
export function zoneText(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const minutes = -new Date().getTimezoneOffset();
  if (minutes === 0) return timeZone === 'UTC' ? 'UTC' : `${timeZone} (UTC)`;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `${hours}${rest === 0 ? '' : `:${`${rest}`.padStart(2, '0')}`}`;
  return `${timeZone} (UTC${minutes < 0 ? '\u2212' : '+'}${offset})`;
}

/** The day of a time in the browser's time zone, as a field for days has it: `2026-01-31`. */
export function dayOf(time: number): string {
  const at = new Date(time);
  const two = (part: number) => `${part}`.padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
