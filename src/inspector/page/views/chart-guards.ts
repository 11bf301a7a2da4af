/** Guards in words: what they ask, and with which values they were closed. */
import type { MachineDefinition } from '../../wire.ts';
import type { Attempt } from './chart-activity.ts';
import { showValue } from './history-values.ts';

/** The sentences of the guards that a text names (`isFailedJob(close)`, `not isSafe`). */
export function guardSentences(
  text: string,
  guards: MachineDefinition['guards'],
): { name: string; sentence: string }[] {
  const names = new Set(text.match(/[A-Za-z]\w*/g) ?? []);
  return [...names].flatMap((name) => {
    const sentence = guards[name];
    return sentence === undefined || sentence === '' ? [] : [{ name, sentence }];
  });
}

/** `canLock is closed: event.amount = 50, context.ownEnd.deposit = 40`. */
export function blockedText(attempt: Attempt): string {
  const closed = attempt.guards.filter(({ isOpen }) => !isOpen);
  const asked = closed.length > 0 ? closed : attempt.guards;
  return asked
    .map(({ guard, isOpen, reads }) => {
      const values = reads.map(({ path, value }) => `${path} = ${showValue(value, path)}`);
      const verdict = `${guard} is ${isOpen ? 'open' : 'closed'}`;
      return values.length === 0 ? verdict : `${verdict}: ${values.join(', ')}`;
    })
    .join('; ');
}
