/** The inspector over a journal that grows by hand, its steps told by a replayer that knows no machine. */

import { createEventReader } from '../../../src/inspector/event-stream.ts';
import { createInspector } from '../../../src/inspector/inspector.ts';
import { workerInSlices } from '../../../src/inspector/stream/start.ts';
import type { ReplayTools } from '../../../src/inspector/stream/worker.ts';
import type { StepRecords } from '../../../src/inspector/wire.ts';
import type { JournalStep } from '../../../src/node/api/inspection.ts';
import { until } from '../../support/until.ts';
import { fakeInspection, fakeJournal } from './fake-inspection.ts';

/** One event and one transition for each step. */
export function plainRecords(step: JournalStep): StepRecords {
  const { seq, actor, block, time, state } = step;
  const common = { seq, actor, block, time, cause: { from: 'outside' } } as const;
  const transition = {
    from: state,
    to: state,
    edges: [],
    patch: [],
    deadlineBlock: null,
    balances: null,
  };
  return [
    { ...common, part: 0, kind: 'event', event: { type: 'clock.tick' } },
    { ...common, part: 1, kind: 'transition', ...transition },
  ];
}

export const plainTools: ReplayTools = {
  createReplayer: () => ({ records: plainRecords }),
  history: () => '{}',
};

type Given = {
  kept?: number;
  /** What the journal holds at first. */
  steps?: readonly JournalStep[];
  tools?: Partial<ReplayTools>;
  heartbeatMs?: number;
};

export function inspected({ kept, steps = [], tools = {}, heartbeatMs = 15_000 }: Given = {}) {
  const journal = fakeJournal(kept === undefined ? { steps } : { kept, steps });
  const failures: unknown[] = [];
  const inspector = createInspector({
    inspection: fakeInspection({ journal }),
    start: workerInSlices(journal, { ...plainTools, ...tools }),
    onFailure: (error) => failures.push(error),
    heartbeatMs,
  });
  return { journal, failures, inspector };
}

type Inspected = Pick<ReturnType<typeof inspected>, 'inspector'>;
type Connect = { query?: string; id?: number; ending?: AbortSignal; caller?: object };

/** Asks for the stream; nothing is read until `next`. */
export async function connect({ inspector }: Inspected, given: Connect = {}) {
  const { query = '', id, ending, caller } = given;
  const headers: Record<string, string> = id === undefined ? {} : { 'last-event-id': `${id}` };
  const mark = query === '' ? '?' : '&';
  const url = `http://node/inspector/events${query}${mark}numbers=tagged`;
  const request = new Request(url, { headers });
  const response = await inspector.handle(request, ending, caller);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    response,
    /** The next piece; null at the end. */
    async next(): Promise<string | null> {
      reader ??= response.body?.getReader();
      const part = await reader?.read();
      return part?.value === undefined ? null : new TextDecoder().decode(part.value);
    },
    leave: async () => (reader ?? response.body)?.cancel(),
  };
}

/** A client that reads whatever comes. */
export async function listen(given: Inspected, options: Connect = {}) {
  const { response, next, leave } = await connect(given, options);
  const steps: StepRecords[] = [];
  let text = '';
  let last: number | null = null;
  let isEnded = false;
  const events = createEventReader((id, added) => {
    last = id ?? last;
    steps.push(...added);
  });
  async function read(): Promise<void> {
    for (let part = await next(); part !== null; part = await next()) {
      text += part;
      events.take(part);
    }
    isEnded = true;
  }
  void read();
  return {
    response,
    leave,
    steps,
    text: () => text,
    isEnded: () => isEnded,
    last: () => last,
    /** The steps' numbers, when there are so many. */
    async heard(count: number): Promise<number[]> {
      await until(() => steps.length >= count, `${count} steps, not ${steps.length}`);
      return steps.map(([first]) => first?.seq ?? 0);
    },
  };
}
