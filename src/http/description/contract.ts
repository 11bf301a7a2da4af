/** The type of the API for Hono's client, made from the descriptions of the endpoints. Types only. */
import type { Hono } from 'hono';
import type { InferInput } from 'valibot';
import type { ERRORS } from '../answers/errors.ts';
import type { AnyEndpoint } from '../endpoints/all.ts';
import type {
  AnswerOf,
  BodyIn,
  CodesOf,
  Endpoint,
  ParamIn,
  QueryIn,
} from '../endpoints/endpoint.ts';
import type { errors } from '../shapes/answers.ts';

/** The type argument of `hc`; the paths are relative to `/api/v1`. */
export type Api = Hono<Nothing, Paths, '/'>;

type Paths = { [Path in AnyEndpoint['path']]: Methods<Extract<AnyEndpoint, { path: Path }>> };
type Methods<All extends Endpoint> = {
  [M in All['method'] as `$${Lowercase<M>}`]: Call<Extract<All, { method: M }>>;
};

type Call<E extends Endpoint> =
  | Answered<E, E['status'], AnswerOf<E>, E extends { media: string } ? 'text' : 'json'>
  | Refused<E, StatusOf<E>>
  | Answered<E, 500, 'Internal server error', 'text'>;
/** One type for each status, so that the status of an answer tells the type of its body. */
type Refused<E extends Endpoint, Status> = Status extends number
  ? Answered<E, Status, InferInput<typeof errors>, 'json'>
  : never;
type StatusOf<E extends Endpoint> = (typeof ERRORS)[CodesOf<E>]['status'];
type Answered<E extends Endpoint, Status, Output, Format> = {
  input: Given<'param', ParamIn<E>> & Given<'query', QueryIn<E>> & Given<'json', BodyIn<E>>;
  output: Output;
  outputFormat: Format;
  status: Status;
};

type Nothing = Record<never, never>;
/** A part of the request, left out when there is nothing to give, optional when nothing must be given. */
type Given<Name extends string, Value> = [Value] extends [never]
  ? Nothing
  : keyof Value extends never
    ? Nothing
    : Nothing extends Value
      ? { [N in Name]?: Value }
      : { [N in Name]: Value };
