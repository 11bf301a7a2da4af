/** What becomes of an answer that the server behind does not finish. */

import { isShort } from './base/exchange.ts';

/** Ends the connection of the call, so that the caller sees that something is missing. */
export type Cut = () => void;

/**
 * The same answer; when its body breaks off, `tell` hears why. Without `cut` the body breaks off for whoever reads it, which
 * the HTTP server would print with all that is known of the error.
 */
export function withEnd(
  answer: Response,
  { cut, signal }: { cut: Cut | undefined; signal: AbortSignal },
  tell: (reason: string) => void,
): Response {
  if (isShort(answer.headers) || answer.body === null) return answer;
  const reader = answer.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // A caller that has left does not miss anything.
          if (!signal.aborted) tell(error instanceof Error ? String(error.cause ?? error) : 'cut');
          if (cut === undefined) controller.error(error);
          else cut();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, answer);
}
