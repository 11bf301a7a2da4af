/**
 * Lays charts out in a thread of its own: the first one keeps ELK busy for a quarter of a second, and this process
 * must go on answering partners meanwhile. Nothing is laid out before a reader asks. (A layout made when the
 * program is built would save the thread, but it could then belong to other charts than those that run.)
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import * as v from 'valibot';
import type { MachineDefinition } from '../wire.ts';
import { chartPlan, type Drawing, drawingOf, elkGraph } from './layout.ts';
import { arialWidth } from './text-size.ts';

/** The thread's program as text, so that it needs no build: it loads ELK alone, from the path that it is given. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const Elk = require(workerData);
  const elk = new Elk();
  parentPort.on('message', ({ id, graph }) => {
    elk.layout(graph).then(
      (answer) => parentPort.postMessage({ id, answer }),
      (error) => parentPort.postMessage({ id, failure: String(error) }),
    );
  });
`;
const said = v.object({
  id: v.number(),
  /** The rest of ELK's answer is trusted. */
  answer: v.optional(v.looseObject({ id: v.string() })),
  failure: v.optional(v.string()),
});

type LayOut = (graph: ElkNode) => Promise<ElkNode>;
type Waiting = { resolve(answer: ElkNode): void; reject(error: Error): void };

/** Keeps drawings by the version of their machine, so that each is made once. */
export function createDrawings(layOut: LayOut = createThread()) {
  const drawn = new Map<string, Promise<Drawing>>();
  return (definition: MachineDefinition): Promise<Drawing> => {
    const before = drawn.get(definition.version);
    if (before !== undefined) return before;
    const plan = chartPlan(definition, arialWidth);
    const drawing = layOut(elkGraph(plan)).then((answer) => drawingOf(plan, answer));
    drawn.set(definition.version, drawing);
    // A failed drawing is forgotten, so that the next request tries again.
    drawing.catch(() => drawn.delete(definition.version));
    return drawing;
  };
}

/** A thread that exists only while something is being laid out. The answer rejects when ELK fails. */
export function createThread(): LayOut {
  let worker: Worker | null = null;
  let questions = 0;
  const waiting = new Map<number, Waiting>();

  function stop(reason: string): void {
    const ended = worker;
    worker = null;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
    ended?.terminate();
  }

  function start(): Worker {
    const elk = createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js');
    const thread = new Worker(THREAD, { eval: true, workerData: elk });
    thread.on('message', (message: unknown) => {
      const heard = v.safeParse(said, message);
      // An exception here would end the whole node.
      if (!heard.success) return stop('the layout of charts answered something else');
      const { id, answer, failure = 'no answer' } = heard.output;
      const one = waiting.get(id);
      waiting.delete(id);
      if (answer === undefined) one?.reject(new Error(`the chart has no layout: ${failure}`));
      else one?.resolve(answer);
      if (waiting.size === 0) stop('');
    });
    const lost = (reason: string) => {
      if (worker === thread) stop(reason);
    };
    thread.on('error', (error) => lost(`the layout of charts failed: ${String(error)}`));
    thread.on('exit', () => lost('the layout of charts ended without an answer'));
    return thread;
  }

  return (graph) =>
    new Promise((resolve, reject) => {
      worker ??= start();
      questions += 1;
      waiting.set(questions, { resolve, reject });
      worker.postMessage({ id: questions, graph });
    });
}
