/** Server-sent events (HTML standard, section 9.2): how their text is written and sent. */
import { PROTECTION } from './responses.ts';

/** The headers of every answer that is an event stream. */
export const EVENT_STREAM_HEADERS: Record<string, string> = {
  ...PROTECTION,
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that gathers output would hold events back.
  'x-accel-buffering': 'no',
};
/** A comment that shows the reader, and proxies in between, that the stream is alive. */
export const SIGN_OF_LIFE = ':\n\n';

/** `data`: JSON, which has no line ends. */
export function eventText(id: number | string, event: string, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/**
 * The first text of a stream: `retryMs` tells a client after how many milliseconds it should reconnect. `id`: the event
 * after which the stream begins, for a client that loses the connection before the first event.
 */
export function greetingText(retryMs: number, id?: number): string {
  return id === undefined ? `retry: ${retryMs}\n\n` : `retry: ${retryMs}\nid: ${id}\n\n`;
}

type Bytes = Uint8Array<ArrayBuffer>;
type Source = {
  /** The next text; null when the stream is over. Called when the socket has taken the text before. */
  next(): Promise<string | Bytes | null>;
  /** Called when the stream is over or its client has left; may be called twice. */
  onEnd(): void;
  /** Called when `next` threw; the stream ends. */
  onFailure(error: unknown): void;
};

/** The body of an event stream. It is read only as fast as the client takes it: a slow reader costs no memory. */
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
  // With a high-water mark of 0, `pull` is called only when the socket has taken what came before.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
