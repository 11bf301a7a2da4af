/** Guards in words: their sentences, and which of them were closed. */
import type { MachineDefinition } from '../../../inspector/wire.ts';
import type { GuardAttempt, GuardRecord } from './activity.ts';

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

/** The guards that blocked an edge; all guards when none was closed (a `not` may have blocked it). */
export function closedGuards(attempt: GuardAttempt): readonly GuardRecord[] {
  const closed = attempt.guards.filter(({ isOpen }) => !isOpen);
  return closed.length > 0 ? closed : attempt.guards;
}
