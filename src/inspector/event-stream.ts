/** Reads server-sent events (HTML standard, section 9.2) out of text that arrives in pieces. */
import { decode } from '../store/codec.ts';
import { isStep } from './answers.ts';
import type { StepRecords } from './wire.ts';

/** `onEvents`: the id of the last whole event of a piece, and the steps that came with it. */
export function createEventReader(
  onEvents: (id: number | null, steps: readonly StepRecords[]) => void,
): { take(text: string): void } {
  let rest = '';
  return {
    take(text) {
      const parts = (rest + text).split('\n\n');
      rest = parts.pop() ?? '';
      let last: number | null = null;
      const steps: StepRecords[] = [];
      for (const part of parts) {
        const fields = fieldsOf(part);
        const id = fields.get('id');
        if (id !== undefined) last = Number(id);
        const data = fields.get('data');
        if (fields.get('event') !== 'step' || data === undefined) continue;
        const records = decode(data);
        if (isStep(records)) steps.push(records);
      }
      if (parts.length > 0) onEvents(last, steps);
    },
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
