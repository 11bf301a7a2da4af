/** Request bodies: limited in size, and JSON only. */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Result } from '../protocol/codes.ts';
import { failure, refuse } from './responses.ts';

/** Bytes of the largest body that an endpoint of the document reads. */
export const BODY_LIMIT = 65_536;

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const NOT_WHOLE = failure('malformed_json', 'The body did not arrive whole.');

/**
 * Refuses a body of more than `maxSize` bytes as soon as that is known: at once when its length is declared. The server
 * still reads the rest of a declared body, for a client that reads the answer only after it has sent everything.
 */
export function bodyRefusal(maxSize: number) {
  const tooLarge = () => refuse(failure('body_too_large', `At most ${maxSize} bytes are read.`));
  const limit = bodyLimit({ maxSize, onError: tooLarge });

  async function refusalOfChunks(c: Context): Promise<Response | null> {
    try {
      return (await limit(c, async () => {})) ?? null;
    } catch {
      return refuse(NOT_WHOLE);
    }
  }

  return (c: Context): Response | null | Promise<Response | null> => {
    const declared = c.req.header('content-length');
    // The HTTP parser never delivers more than was declared; `bodyLimit` would copy the whole request to look at it.
    if (declared === undefined) return refusalOfChunks(c);
    return Number(declared) > maxSize ? tooLarge() : null;
  };
}

/** `bodyRefusal` as middleware. */
export function limitBody(maxSize: number): MiddlewareHandler {
  const refusal = bodyRefusal(maxSize);
  return async (c, next) => (await refusal(c)) ?? next();
}

/**
 * The body as text, if its content type is JSON; `limitBody` must have run before. Failures: invalid_shape,
 * unsupported_media_type, malformed_json when the body did not arrive whole.
 */
export async function readJsonText(request: Request): Promise<Result<string>> {
  const text = await request.text().catch(() => null);
  if (text === null) return NOT_WHOLE;
  if (text === '') return failure('invalid_shape', 'A JSON object is expected as the body.');
  const { headers } = request;
  if (!JSON_TYPE.test(headers.get('content-type') ?? '') || headers.get('content-encoding')) {
    return failure('unsupported_media_type');
  }
  return { ok: true, value: text };
}
