/**
 * A JSON array whose rows are read slice by slice. A short one is sent whole. Of a long one the next slice is read when
 * the socket has taken the text before: a slow reader costs no memory, and the reading ends when the client leaves.
 */
import type { Result } from '../../protocol/codes.ts';
import { failure, type HttpReply, JSON_HEADERS } from './responses.ts';

/** How much is read before the answer begins: characters, and slices (empty ones count too). */
const WHOLE_LENGTH = 65_536;
const SLICES_BEFORE = 8;
/** How long empty slices are skipped within one turn. */
const PASSING_MS = 4;

type Slices = Iterable<readonly unknown[]>;
/** `cut` ends the connection; null when there is none. */
export type Receiver = { isHead: boolean; cut: (() => void) | null };
export type LongAnswers = ReturnType<typeof createLongAnswers>;

type Options = {
  /** Whether the node itself has failed, and must stop. */
  isBroken: () => boolean;
  /** Called when a read failed though the node works: the call is refused, or its answer cut short. */
  onReadFailure: (error: unknown) => void;
};

export function createLongAnswers({ isBroken, onReadFailure }: Options) {
  const turn = createTurns();

  /** `status`: that of a successful answer. Rejects when the node is broken. */
  async function send(
    ask: () => Result<Slices>,
    status: number,
    receiver: Receiver,
  ): Promise<HttpReply> {
    try {
      const found = ask();
      return found.ok ? await begin(found.value, status, receiver) : found;
    } catch (error) {
      if (isBroken()) throw error;
      onReadFailure(error);
      return failure('unreadable');
    }
  }

  async function begin(slices: Slices, status: number, receiver: Receiver): Promise<Response> {
    // Nobody would read the body of a HEAD.
    if (receiver.isHead) return new Response(null, { status, headers: JSON_HEADERS });
    const texts = textsOf(slices);
    let text = '';
    for (let read = 0; read < SLICES_BEFORE && text.length < WHOLE_LENGTH; read++) {
      await turn();
      const { done, value } = nextOf(texts);
      if (done === true) return new Response(text, { status, headers: JSON_HEADERS });
      text += value;
    }
    return new Response(bodyOf(text, texts, receiver), { status, headers: JSON_HEADERS });
  }

  function bodyOf(begin: string, texts: Iterator<string>, { cut }: Receiver) {
    const encoder = new TextEncoder();
    let next = begin;
    let isCancelled = false;

    /** The next text; null at the end, or when the client has gone. */
    async function read(): Promise<string | null> {
      while (!isCancelled) {
        await turn();
        const { done, value } = nextOf(texts);
        if (done === true) return null;
        if (value !== '') return value;
      }
      return null;
    }

    async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      try {
        const text = next === '' ? await read() : next;
        next = '';
        if (isCancelled) return;
        if (text === null) controller.close();
        else controller.enqueue(encoder.encode(text));
      } catch (error) {
        if (!isBroken()) onReadFailure(error);
        // A broken array must not look complete: its reader would take a part for the whole.
        if (cut === null) controller.error(error);
        else cut();
      }
    }

    function cancel(): void {
      isCancelled = true;
    }
    // With a high-water mark of 0, `pull` is called only when the socket has taken what came before.
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  }

  return { send };
}

/** The parts of the array's text; an empty one for an empty slice. */
function* textsOf(slices: Slices): Generator<string> {
  let before = '[';
  for (const rows of slices) {
    yield rows.length === 0 ? '' : before + JSON.stringify(rows).slice(1, -1);
    if (rows.length > 0) before = ',';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

function nextOf(texts: Iterator<string>): IteratorResult<string> {
  const begin = performance.now();
  for (;;) {
    const next = texts.next();
    const isOver = performance.now() - begin >= PASSING_MS;
    if (next.done === true || next.value !== '' || isOver) return next;
  }
}

/**
 * Grants one turn in each round of the event loop, for all answers together: a hundred long answers block it no longer
 * at a time than one does.
 */
function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
