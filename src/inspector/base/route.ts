/** Questions below `/inspector/` and their answers: the types that every endpoint uses. */
import { parseDecimal } from '../../basics/amount.ts';
import { encode } from '../../store/base/codec.ts';

/** `path`: its parts below `/inspector/`, unescaped, e.g. `['actors', 'channel:0x…', 'history']`. */
export type InspectorQuestion = { path: readonly string[]; query: URLSearchParams };
/** Field of the query -> what is wrong with it, in sentences. */
export type QueryErrors = Record<string, string[]>;
/** `errors`: a sentence, or the fields of the query that are wrong. */
export type RouteRefusal = { ok: false; status: 400 | 404 | 503; errors: string | QueryErrors };
/** `type`: the content type, JSON by default. `policy`: the content security policy, none by default. */
export type RouteAnswer = {
  ok: true;
  body: string | Uint8Array<ArrayBuffer>;
  type?: string;
  policy?: string;
};
export type InspectorAnswer = RouteAnswer | RouteRefusal;
/** Null: the question is for another endpoint. An exception is a bug, and ends only this answer. */
export type InspectorRoute = (
  question: InspectorQuestion,
) => InspectorAnswer | null | Promise<InspectorAnswer | null>;

/** A value as text of the codec; secrets must have been replaced before. */
export function answered(value: unknown): RouteAnswer {
  return { ok: true, body: encode(value) };
}

export function routeRefusal(
  status: RouteRefusal['status'],
  errors: RouteRefusal['errors'],
): RouteRefusal {
  return { ok: false, status, errors };
}

export const NO_HISTORY: RouteRefusal = routeRefusal(
  503,
  'The journal cannot be read at the moment: try again in a few seconds.',
);

/**
 * A whole number of the query from 0 to `most`; `absent` when the query has none. Anything else is refused with
 * 400.
 */
export function numberIn<Absent>(
  query: URLSearchParams,
  name: string,
  { absent, most = Number.MAX_SAFE_INTEGER }: { absent: Absent; most?: number },
): { ok: true; value: number | Absent } | RouteRefusal {
  const given = query.get(name);
  if (given === null) return { ok: true, value: absent };
  const value = parseDecimal(given);
  if (value !== null && value <= BigInt(most)) return { ok: true, value: Number(value) };
  return routeRefusal(400, { [name]: [`Must be a whole number from 0 to ${most}.`] });
}
