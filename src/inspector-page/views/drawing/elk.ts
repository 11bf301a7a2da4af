/** Charts laid out by ELK in a worker. A layout takes some hundred milliseconds, and the browser keeps it. */
import ELK from 'elkjs/lib/elk-api.js';
import { chartPlan, type Drawing, drawingOf, elkGraph } from '../../../inspector/charts/layout.ts';
import type { MachineDefinition } from '../../../inspector/wire.ts';
import { textWidth } from './font.ts';

/** Another build may draw the same chart differently, so the name of the build's file is part of the key. */
const PREFIX = 'sluice chart ';
const BUILD = `${PREFIX}${import.meta.url} `;

const known = new Map<string, Promise<Drawing>>();

/** The drawing of a chart; each call returns the same object. Throws when the layout fails. */
export function chartDrawing(definition: MachineDefinition): Promise<Drawing> {
  const key = `${BUILD}${definition.machine} ${definition.version}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const stored = read(key);
  const drawing = stored === null ? layOut(definition) : Promise.resolve(stored);
  known.set(key, drawing);
  if (stored === null) {
    drawing.then(
      (done) => write(key, done),
      () => known.delete(key),
    );
  }
  return drawing;
}

async function layOut(definition: MachineDefinition): Promise<Drawing> {
  const elk = new ELK({
    workerFactory: () =>
      new Worker(new URL('elkjs/lib/elk-worker.min.js', import.meta.url), { type: 'module' }),
  });
  try {
    const plan = chartPlan(definition, textWidth);
    return drawingOf(plan, await elk.layout(elkGraph(plan)));
  } finally {
    elk.terminateWorker();
  }
}

/** The stored drawing; null when there is none, or when the browser stores nothing for the page. */
function read(key: string): Drawing | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isDrawing(value) ? value : null;
  } catch {
    return null;
  }
}

function isDrawing(value: unknown): value is Drawing {
  return typeof value === 'object' && value !== null && 'states' in value && 'starts' in value;
}

function write(key: string, drawing: Drawing): void {
  try {
    for (const old of Object.keys(localStorage)) {
      if (old.startsWith(PREFIX) && !old.startsWith(BUILD)) localStorage.removeItem(old);
    }
    localStorage.setItem(key, JSON.stringify(drawing));
  } catch {
    // Storage is full or forbidden: the next visit lays the chart out again.
  }
}
