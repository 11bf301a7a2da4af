/** Reads a request with the schema that its endpoint describes. */
import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { parseJson } from '../answers/json.ts';
import { type FieldErrors, failure, type Refusal } from '../answers/responses.ts';
import { readJsonText } from './body.ts';

/**
 * The request's body in our types. Failures: those of readJsonText and parseJson; invalid_shape with the wrong fields.
 */
export async function readBody<T>(
  request: Request,
  incoming: IncomingMessage | undefined,
  schema: v.GenericSchema<unknown, T>,
): Promise<{ ok: true; value: T } | Refusal> {
  const text = await readJsonText(request, incoming);
  if (!text.ok) return text;
  const body = parseJson(text.value);
  if (!body.ok) return body;
  if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value)) {
    return failure('invalid_shape', 'A JSON object is expected as the body.');
  }
  return check(body.value, schema);
}

/** The query of the URL in our types; when a name is given twice, the last counts. */
export function readQuery<T>(
  url: string,
  schema: v.GenericSchema<unknown, T>,
): { ok: true; value: T } | Refusal {
  const start = url.indexOf('?');
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
  return check(Object.fromEntries(query), schema);
}

function check<T>(
  value: unknown,
  schema: v.GenericSchema<unknown, T>,
): { ok: true; value: T } | Refusal {
  // Replaces the library's own messages, because they repeat the value, which may be a secret.
  const parsed = v.safeParse(schema, value, { message: 'Wrong type.' });
  if (parsed.success) return { ok: true, value: parsed.output };
  return { ...failure('invalid_shape'), fields: fieldErrors(parsed.issues) };
}

function fieldErrors(issues: readonly v.BaseIssue<unknown>[]): FieldErrors {
  const fields = new Map<string, string[]>();
  for (const issue of issues.slice(0, 20)) {
    const [field = '', ...inner] = (issue.path ?? []).map(({ key }) => String(key));
    const message = inner.length === 0 ? issue.message : `${inner.join('.')}: ${issue.message}`;
    fields.set(field, [...(fields.get(field) ?? []), message]);
  }
  return Object.fromEntries(fields);
}
