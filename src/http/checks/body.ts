/** Request bodies: limited in size, and JSON only. */
import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Result } from '../../protocol/codes.ts';
import { failure, type Refusal, refuse } from '../answers/responses.ts';

/** Bytes of the largest body that an endpoint of the document reads. */
export const BODY_LIMIT = 65_536;

const JSON_TYPE = /^application\/json\s*(;|$)/i;
/** As a request's own text: a byte order mark is left out, a wrong byte replaced. */
const decoder = new TextDecoder();
const NOT_WHOLE = failure('malformed_json', 'The body did not arrive whole.');

/**
 * Refuses a body of more than `maxSize` bytes as soon as that is known: at once when its length is declared. The server
 * still reads the rest of a declared body, for a client that reads the answer only after it has sent everything.
 */
export function bodyRefusal(maxSize: number) {
  const tooLarge = failure('body_too_large', `At most ${maxSize} bytes are read.`);
  const limit = bodyLimit({ maxSize, onError: () => refuse(tooLarge) });

  async function refusalOfChunks(c: Context): Promise<Refusal | null> {
    try {
      return (await limit(c, async () => {})) === undefined ? null : tooLarge;
    } catch {
      return NOT_WHOLE;
    }
  }

  return (c: Context): Refusal | null | Promise<Refusal | null> => {
    const declared = c.req.header('content-length');
    // The HTTP parser never delivers more than was declared; `bodyLimit` would copy the whole request to look at it.
    if (declared === undefined) return refusalOfChunks(c);
    return Number(declared) > maxSize ? tooLarge : null;
  };
}

/** `bodyRefusal` as middleware. */
export function limitBody(maxSize: number): MiddlewareHandler {
  const refusal = bodyRefusal(maxSize);
  return async (c, next) => {
    const refused = await refusal(c);
    return refused === null ? next() : refuse(refused);
  };
}

/**
 * The body as text, if its content type is JSON; `limitBody` must have run before. `incoming`: the same request as the
 * server has it. Failures: invalid_shape, unsupported_media_type, malformed_json when the body did not arrive whole.
 */
export async function readJsonText(
  request: Request,
  incoming?: IncomingMessage,
): Promise<Result<string>> {
  // The HTTP parser hands over the body after it has told of the headers, out of the same packet.
  await null;
  const text = arrivedText(incoming) ?? (await request.text().catch(() => null));
  if (text === null) return NOT_WHOLE;
  if (text === '') return failure('invalid_shape', 'A JSON object is expected as the body.');
  const { headers } = request;
  if (!JSON_TYPE.test(headers.get('content-type') ?? '') || headers.get('content-encoding')) {
    return failure('unsupported_media_type');
  }
  return { ok: true, value: text };
}

/**
 * The text of a body of which every declared byte is here already, so that no stream has to be followed; as a rule it is
 * one small packet. Null for any other.
 */
function arrivedText(incoming: IncomingMessage | undefined): string | null {
  if (incoming === undefined || incoming.readableDidRead || incoming.destroyed) return null;
  const declared = Number(incoming.headers['content-length']);
  if (!(declared > 0) || incoming.readableLength !== declared) return null;
  const bytes: unknown = incoming.read();
  // Without a reader the request would not end, and the server would come back to it.
  incoming.resume();
  return Buffer.isBuffer(bytes) ? decoder.decode(bytes) : null;
}
