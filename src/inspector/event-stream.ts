/** Reads the inspector's server-sent events out of text that arrives in pieces. */
import { createParser } from 'eventsource-parser';
import { decode } from '../store/base/codec.ts';
import { isStep } from './answers.ts';
import type { StepRecords } from './wire.ts';

/**
 * `onEvents` is called for each piece of text that completes an event, with the id of the last event in it and the
 * steps of all.
 */
export function createEventReader(
  onEvents: (id: number | null, steps: readonly StepRecords[]) => void,
): { take(text: string): void } {
  let last: number | null = null;
  let steps: StepRecords[] = [];
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (id !== undefined) last = Number(id);
      const records = event === 'step' ? decode(data) : null;
      if (isStep(records)) steps.push(records);
    },
  });
  return {
    take(text) {
      parser.feed(text);
      const events = [last, steps] as const;
      last = null;
      steps = [];
      if (events[0] !== null) onEvents(...events);
    },
  };
}

/** The events of the body as they arrive. A comment (a heartbeat) becomes an event without an id. */
export async function* serverEventsIn(body: ReadableStream<Uint8Array>) {
  const found: { id?: string; data: string }[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => void found.push(id === undefined ? { data } : { id, data }),
    onComment: () => void found.push({ data: '' }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* found.splice(0);
  }
}
