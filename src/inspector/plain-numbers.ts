/**
 * Numbers for programs that know nothing of this one. Inside, whole numbers without bounds are marked
 * (`{"$bigint":"5"}`), so that they can be told from text; who does not ask for the marks gets `"5"`.
 */

import { encode } from '../store/codec.ts';

/** The query of readers that want the marks. */
export const TAGGED = { numbers: 'tagged' };

// In text such an object can be nothing else: the codec reserves the key, and quotes in a string are escaped.
const MARKED = /\{"\$bigint":"(-?\d+)"\}/g;

export function wantsTags(query: URLSearchParams): boolean {
  return query.get('numbers') === TAGGED.numbers;
}

/** Text of the codec with each marked number as a decimal string. */
function withPlainNumbers(text: string): string {
  return text.replace(MARKED, '"$1"');
}

/** A value as JSON, its whole numbers without bounds as decimal strings. */
export function jsonOf(value: unknown): string {
  return withPlainNumbers(encode(value));
}

/** The same for an answer of the inspector, at once or as a stream of lines. */
export async function plainResponse(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  const { body, status, headers } = response;
  if (body === null) return response;
  if (type.startsWith('application/json'))
    return new Response(withPlainNumbers(await response.text()), { status, headers });
  if (!type.startsWith('text/event-stream')) return response;
  return new Response(plainLines(body), { status, headers });
}

/** A number may be cut by the end of a piece, never by the end of a line. */
function plainLines(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const source = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await source.read();
      if (done) return controller.close();
      const text = rest + decoder.decode(value, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      if (end === 0) continue;
      return controller.enqueue(encoder.encode(withPlainNumbers(text.slice(0, end))));
    }
  }
  // With room for nothing: whoever does not read holds the source up, as without this.
  return new ReadableStream(
    { pull, cancel: (reason) => source.cancel(reason) },
    { highWaterMark: 0 },
  );
}
