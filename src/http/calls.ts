/**
 * The way of a call, in the order in which its faults are looked for: foreign page 403, shutting down
 * 503, address in the URL 404, method 405, not ready 503, then whatever `prepare` finds wrong with the
 * request itself (413, 415, 400, 409), and at last, when it is the call's turn, the node's own answer.
 */
import type { Context } from 'hono';
import type { NodeApi } from '../node/api.ts';
import type { Address } from '../protocol/hex.ts';
import { isChecksummed } from '../protocol/hex.ts';
import { failure, internalError, type Refusal, refuse } from './answers.ts';
import type { createDefence } from './defence.ts';
import type { Gate, Turn } from './gate.ts';

/** `boundHost`: where the server listens, as it stands in a URL; absent without a server. */
export type ApiEnv = { Bindings: { boundHost?: string } };
export type ApiContext = Context<ApiEnv>;

/** The part of a call that waits for its turn. */
export type Job = () => Response | Promise<Response>;
/** Reads and judges the request before it is queued, without asking the node. */
export type Prepare<A> = (c: ApiContext, addresses: A) => Job | Refusal | Promise<Job | Refusal>;

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
export type Resource<A> = {
  /** Below the version, e.g. `/tokens/:token`. */
  path: string;
  /** The addresses of the URL, or null when one of them is not in EIP-55 form. */
  addresses: (c: ApiContext) => A | null;
  methods: Partial<Record<Method, Prepare<A>>>;
  /** Answered even when the node is not ready, and without queueing. */
  atOnce?: boolean;
};
export type Route = <A>(resource: Resource<A>) => void;

export function noAddress(): Record<never, Address> {
  return {};
}

export function tokenAddress(c: ApiContext): { token: Address } | null {
  const token = c.req.param('token');
  return isChecksummed(token) ? { token } : null;
}

/** `partner` is the target in `/payments`. */
export function tokenAndPartner(c: ApiContext): { token: Address; partner: Address } | null {
  const token = c.req.param('token');
  const partner = c.req.param('partner');
  return isChecksummed(token) && isChecksummed(partner) ? { token, partner } : null;
}

type Parts = {
  node: NodeApi;
  gate: Gate;
  defend: ReturnType<typeof createDefence>;
  /** Called once, with what was thrown. */
  onInternalError: (error: unknown) => void;
};

const REFUSED_TURN = {
  full: failure('too_many_calls'),
  gone: failure('too_many_calls'),
  closed: failure('shutting_down'),
} satisfies Record<Exclude<Turn, 'turn'>, Refusal>;

export function createCalls({ node, gate, defend, onInternalError }: Parts) {
  let ended = false;
  let isReported = false;

  /** From now on every call is answered 503; those that wait are sent away. */
  function end(): void {
    ended = true;
    gate.close();
  }

  function fail(error: unknown): Response {
    end();
    if (!isReported) onInternalError(error);
    isReported = true;
    return internalError();
  }

  function stopped(): Response | null {
    if (ended) return refuse(failure('shutting_down'));
    return node.isBroken() ? fail(new Error('the node met an internal failure')) : null;
  }

  /** Why the request cannot even be looked up, or null. */
  function admit(c: ApiContext): Response | null {
    const refusal = defend(c.req.raw.headers, c.env?.boundHost);
    if (refusal === null) return stopped();
    return refuse(refusal, refusal.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {});
  }

  function notReady(): Response | null {
    const { status } = node.status();
    if (status === 'ready') return null;
    return refuse(failure(status === 'syncing' ? 'syncing' : 'chain_unavailable'));
  }

  async function inTurn(job: Job, signal: () => AbortSignal): Promise<Response> {
    if (!gate.tryEnter()) {
      const turn = await gate.wait(signal());
      if (turn !== 'turn') return refuse(REFUSED_TURN[turn]);
    }
    try {
      return stopped() ?? notReady() ?? (await job());
    } catch (error) {
      // Before the turn is handed on: no further call may reach a node that has failed.
      return fail(error);
    } finally {
      gate.leave();
    }
  }

  async function follow<A>(c: ApiContext, resource: Resource<A>): Promise<Response> {
    const { addresses, methods, atOnce = false } = resource;
    const found = addresses(c);
    if (found === null) return refuse(failure('invalid_address'));
    const prepare = methodOf(methods, c.req.method);
    if (prepare === undefined) {
      return refuse(failure('method_not_allowed'), { allow: allowed(methods) });
    }
    const early = atOnce ? null : notReady();
    if (early !== null) return early;
    const job = await prepare(c, found);
    if (typeof job !== 'function') {
      // The rest of an oversized body must not be taken for the next request.
      return refuse(job, job.code === 'body_too_large' ? { connection: 'close' } : {});
    }
    return atOnce ? job() : inTurn(job, () => c.req.raw.signal);
  }

  async function handle<A>(c: ApiContext, resource: Resource<A>): Promise<Response> {
    try {
      return admit(c) ?? (await follow(c, resource));
    } catch (error) {
      return fail(error);
    }
  }

  return { admit, handle, end, fail };
}

function methodOf<A>(methods: Resource<A>['methods'], name: string): Prepare<A> | undefined {
  switch (name) {
    case 'HEAD':
      return methods.GET;
    case 'GET':
    case 'PUT':
    case 'POST':
    case 'PATCH':
    case 'DELETE':
      return methods[name];
    default:
      return undefined;
  }
}

function allowed(methods: object): string {
  return Object.keys(methods)
    .flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    .join(', ');
}
