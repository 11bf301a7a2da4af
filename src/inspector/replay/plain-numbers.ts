/**
 * Numbers for programs that know nothing of this one. Inside this program, bigints are tagged in JSON
 * (`{"$bigint":"5"}`), so that they differ from text; a reader that does not ask for the tags gets `"5"`.
 */

import { encode } from '../../store/base/codec.ts';

/** The query of readers that want the tags. */
export const TAGGED = { numbers: 'tagged' };

// In JSON text this pattern is always a tagged number: the codec reserves the key, and quotes in strings are escaped.
const MARKED = /\{"\$bigint":"(-?\d+)"\}/g;

export function wantsTags(query: URLSearchParams): boolean {
  return query.get('numbers') === TAGGED.numbers;
}

/** The codec's text with each tagged number as a decimal string. */
function withPlainNumbers(text: string): string {
  return text.replace(MARKED, '"$1"');
}

/** A value as JSON, with bigints as decimal strings. */
export function jsonOf(value: unknown): string {
  return withPlainNumbers(encode(value));
}

/** An answer of the inspector with plain numbers, converted at once or as a stream of lines. */
export async function plainResponse(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  const { body, status, headers } = response;
  if (body === null) return response;
  if (type.startsWith('application/json'))
    return new Response(withPlainNumbers(await response.text()), { status, headers });
  if (!type.startsWith('text/event-stream')) return response;
  return new Response(plainLines(body), { status, headers });
}

/** Converted line by line: a number may be cut by the end of a piece, never by the end of a line. */
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
  // Nothing is read ahead: a reader that stops reading holds the source up, as it would without the conversion.
  return new ReadableStream(
    { pull, cancel: (reason) => source.cancel(reason) },
    { highWaterMark: 0 },
  );
}
