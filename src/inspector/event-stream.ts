/** Reads server-sent events (HTML standard, section 9.2) out of text that arrives in pieces. */
import { decode } from '../store/codec.ts';
import { isStep } from './answers.ts';
import type { StepRecords } from './wire.ts';

/** `onEvents`: the id of the last whole event of a piece, and the steps that came with it. */
export function createEventReader(
  onEvents: (id: number | null, steps: readonly StepRecords[]) => void,
): { take(text: string): void } {
  const cut = createEventCutter();
  return {
    take(text) {
      const events = cut(text);
      let last: number | null = null;
      const steps: StepRecords[] = [];
      for (const fields of events) {
        const id = fields.get('id');
        if (id !== undefined) last = Number(id);
        const data = fields.get('data');
        if (fields.get('event') !== 'step' || data === undefined) continue;
        const records = decode(data);
        if (isStep(records)) steps.push(records);
      }
      if (events.length > 0) onEvents(last, steps);
    },
  };
}

/** Cuts a stream's text, piece by piece, into the fields of its whole events. */
export function createEventCutter(): (text: string) => ReadonlyMap<string, string>[] {
  let rest = '';
  return (text) => {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    return events.map(fieldsOf);
  };
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  return fields;
}
