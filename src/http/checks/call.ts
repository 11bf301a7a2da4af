/** One call as its checks see it: what is known of its request, of its caller and of what it may change. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Address } from '../../basics/hex.ts';
import { newCall } from '../../node/api/commands.ts';
import type { Call } from '../../node/runtime/knowledge/calls.ts';
import type { HttpReply } from '../answers/responses.ts';
import { BASE, X402_BASE } from '../endpoints/endpoint.ts';
import { type Grant, MAY_ALL } from './tokens.ts';

/**
 * `boundHost`: the host on which the server listens, as written in a URL; `cut` ends the connection of the call;
 * `incoming`: the request as the server has it. All are absent without a server. `grant`: what the caller's token
 * allows; absent when no token is needed. `call`: what is known of a call that may change something; absent: it only asks.
 */
export type ApiEnv = {
  Bindings: { boundHost?: string; cut?: () => void; incoming?: IncomingMessage; call?: Call };
  Variables: { grant?: Grant; call?: Call };
};
export type ApiContext = Context<ApiEnv>;
/** The addresses in the URL, by their names in the path. */
type Addresses = Record<string, Address>;
export type Handler = (c: ApiContext, addresses: Addresses) => HttpReply | Promise<HttpReply>;
/** Refuses the call with an answer, or lets it pass with null; the one that judges the addresses collects them. */
export type CallCheck = (c: ApiContext, addresses: Addresses) => HttpReply | null;

/** The call that may change something. */
export const callOf = (c: ApiContext): Call => c.get('call') ?? newCall();

/** What the caller may do. */
export function grantOf(c: ApiContext): Grant {
  return c.get('grant') ?? MAY_ALL;
}

/** A HEAD is answered as a GET; Hono leaves the body out. */
export const readAs = (method: string) => (method === 'HEAD' ? 'GET' : method);
/** Whether a call with this method only asks. */
export const isQuery = (method: string): boolean => readAs(method) === 'GET';

/** Whether a call may change something, by its method and path. */
export const mayChange = (method: string, path: string): boolean =>
  !isQuery(method) && [BASE, X402_BASE].some((base) => path.startsWith(base));
