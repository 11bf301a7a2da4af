/** Server-sent events (HTML standard, section 9.2): how their text is written and how it leaves. */
import { PROTECTION } from './responses.ts';

/** Of every answer that is such a stream. */
export const EVENT_STREAM_HEADERS: Record<string, string> = {
  ...PROTECTION,
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that gathers output would hold events back.
  'x-accel-buffering': 'no',
};
/** A comment, for the reader and for everything in between: the stream is alive. */
export const SIGN_OF_LIFE = ':\n\n';

/** `data`: JSON, which has no line ends. */
export function eventText(id: number | string, event: string, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/**
 * The first text of a stream: after how many milliseconds a client whose connection is gone should come back. `id`:
 * behind which event the stream begins, for a client that loses the connection before the first one.
 */
export function greetingText(retryMs: number, id?: number): string {
  return id === undefined ? `retry: ${retryMs}\n\n` : `retry: ${retryMs}\nid: ${id}\n\n`;
}

type Bytes = Uint8Array<ArrayBuffer>;
type Source = {
  /** What follows; null when it is over. Asked when the socket has taken what came before. */
  next(): Promise<string | Bytes | null>;
  /** It is over, or its client has left; may be called twice. */
  onEnd(): void;
  /** `next` threw; the stream ends. */
  onFailure(error: unknown): void;
};

/** The body of such an answer: a slow reader costs no memory. */
export function eventStream({ next, onEnd, onFailure }: Source): ReadableStream<Bytes> {
  const encoder = new TextEncoder();
  let isCancelled = false;

  async function pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    try {
      const text = await next();
      if (text !== null)
        return controller.enqueue(typeof text === 'string' ? encoder.encode(text) : text);
      onEnd();
    } catch (error) {
      onEnd();
      onFailure(error);
    }
    if (!isCancelled) controller.close();
  }

  function cancel(): void {
    isCancelled = true;
    onEnd();
  }
  // With room for nothing, it is asked only when the socket has taken what came before.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
