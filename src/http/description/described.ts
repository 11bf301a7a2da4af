/**
 * Makes an endpoint's handler from its description: reads the request, lets it be judged, does the work in its turn.
 */

import type { LockSupply } from '../../node/api/lock-supply.ts';
import type { Result } from '../../protocol/codes.ts';
import type { LongAnswers } from '../answers/long-answers.ts';
import { type HttpReply, ok, type Refusal } from '../answers/responses.ts';
import { BODY_LIMIT } from '../checks/body.ts';
import type { ApiContext } from '../checks/call.ts';
import type { InTurn, Mount } from '../checks/entrance.ts';
import { readBody, readQuery } from '../checks/read.ts';
import type { Repeats } from '../checks/repeats.ts';
import {
  type AddressesOf,
  type AnswerOf,
  BASE,
  type BodyOf,
  type Endpoint,
  type QueryOf,
} from '../endpoints/endpoint.ts';

/** The content of a request, read and checked as its endpoint describes. */
type Input<E extends Endpoint> = AddressesOf<E> & { body: BodyOf<E>; query: QueryOf<E> };
type Answer<E extends Endpoint> = Result<AnswerOf<E>>;
/** The part of a call that waits for its turn. */
type Work<E extends Endpoint> = () => Answer<E> | Promise<Answer<E>>;
/** Work that needs one of these locks, or that waits for something before it waits for its turn; null: for nothing. */
type OtherWork<E extends Endpoint> = {
  work: Work<E>;
  locks?: () => LockSupply | null;
  before?: () => Promise<void> | null;
};
/** Judges the request before it is queued, without asking the node. */
type Judge<E extends Endpoint> = (
  input: Input<E>,
  c: ApiContext,
) => Work<E> | OtherWork<E> | Refusal;
export type MountRoute = <E extends Endpoint>(endpoint: E, judge: Judge<E>) => void;
/** As `Route`, for a list that may be long: its work answers with slices. */
export type RouteList = <E extends Endpoint>(
  endpoint: E,
  judge: (input: Input<E>) => () => Result<Iterable<AnswerOf<E> & readonly unknown[]>>,
) => void;

type Handle<E extends Endpoint> = (
  input: Input<E>,
  c: ApiContext,
) => HttpReply | Promise<HttpReply>;
type Parts = {
  mount: Mount;
  inTurn: InTurn;
  send: LongAnswers['send'];
  once: Repeats['once'];
};

/** Mounts endpoints of a document, each with the function that judges its requests. */
export function createRoutes({ mount, inTurn, send, once }: Parts) {
  /** `base`: the prefix of the path. */
  function add<E extends Endpoint>(base: string, endpoint: E, handle: Handle<E>): void {
    const { path, body } = endpoint;
    const limit = body === undefined ? {} : { bodyLimit: BODY_LIMIT };
    mount({ ...endpoint, path: base + path, ...limit }, (c, addresses) => {
      const answer = (input: Read<Input<E>>) => (input.ok ? handle(input.value, c) : input);
      const input = readInput(endpoint, c, addresses);
      return input instanceof Promise ? input.then(answer) : answer(input);
    });
  }

  /** Adds endpoints with this prefix. */
  const routeAt =
    (base: string): MountRoute =>
    (endpoint, judge) => {
      const shown = (answer: Result<unknown>): HttpReply =>
        answer.ok ? ok(answer.value, endpoint.status) : answer;
      add(base, endpoint, (input, c) => {
        function first(): HttpReply | Promise<HttpReply> {
          const judged = judge(input, c);
          if ('code' in judged) return judged;
          const asked: OtherWork<typeof endpoint> =
            typeof judged === 'function' ? { work: judged } : judged;
          const { work, locks = noLocks, before = noLocks } = asked;
          const respond = () => {
            const answer = work();
            return answer instanceof Promise ? answer.then(shown) : shown(answer);
          };
          if (endpoint.atOnce === true) return respond();
          const enter = () => inTurn(c, { kind: kindOf(endpoint), work: respond, locks });
          // Who waits for something else takes nobody's turn.
          return before()?.then(enter) ?? enter();
        }
        return once(c, { endpoint, body: input.body, first });
      });
    };

  const routeList: RouteList = (endpoint, judge) =>
    add(BASE, endpoint, (input, c) => {
      const receiver = { isHead: c.req.method === 'HEAD', cut: c.env?.cut ?? null };
      const work = judge(input);
      const answer = () => send(work, endpoint.status, receiver);
      return inTurn(c, { kind: kindOf(endpoint), work: answer, locks: noLocks });
    });
  return { route: routeAt(BASE), routeAt, routeList };
}

const kindOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const noLocks = () => null;
type Read<T> = { ok: true; value: T } | Refusal;
const NOTHING = { ok: true as const, value: null };

// Two signatures: the outer one derives the result's type from the schemas of the endpoint. Only a body is waited for.
function readInput<E extends Endpoint>(
  endpoint: E,
  c: ApiContext,
  addresses: object,
): Read<Input<E>> | Promise<Read<Input<E>>>;
function readInput(
  { query: querySchema, body: bodySchema }: Endpoint,
  c: ApiContext,
  addresses: object,
): Read<object> | Promise<Read<object>> {
  const query = querySchema === undefined ? NOTHING : readQuery(c.req.url, querySchema);
  if (!query.ok) return query;
  const inputWith = (body: Read<unknown>): Read<object> =>
    body.ok ? { ok: true, value: { query: query.value, body: body.value, ...addresses } } : body;
  if (bodySchema === undefined) return inputWith(NOTHING);
  return readBody(c.req.raw, c.env?.incoming, bodySchema).then(inputWith);
}
