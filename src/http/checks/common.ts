/** Checks that every endpoint shares: each refuses a call with an answer, or lets it pass. */
import { isChecksummed } from '../../basics/hex.ts';
import type { NodeApi } from '../../node/api/api.ts';
import type { Failure } from '../../protocol/codes.ts';
import { failure } from '../answers/responses.ts';
import { bodyRefusal } from './body.ts';
import { type CallCheck, grantOf, type Handler } from './call.ts';
import { covers, type Scope } from './tokens.ts';

/** Why the node takes no calls, or null. */
export function notReadyRefusal(node: NodeApi): Failure | null {
  const now = node.status();
  if (now.status === 'ready') return null;
  if (now.status === 'syncing') return failure('syncing');
  if (now.isDatabaseLost === true) return failure('database_lost', now.reason);
  if (now.isReplicaAway === true) return failure('replica_unavailable', now.reason);
  return failure(now.isSafeMode === true ? 'safe_mode' : 'chain_unavailable', now.reason);
}

/** The handler behind the checks: the first that refuses decides the answer. */
export function checked(checks: readonly CallCheck[], handler: Handler): Handler {
  return (c, addresses) => {
    for (const check of checks) {
      const refused = check(c, addresses);
      if (refused !== null) return refused;
    }
    return handler(c, addresses);
  };
}

/** The handler behind a limit on the body. Only a body of unknown length has to be waited for. */
export function within(limit: number, handler: Handler): Handler {
  const refusal = bodyRefusal(limit);
  return (c, addresses) => {
    const refused = refusal(c);
    if (refused instanceof Promise) return refused.then((late) => late ?? handler(c, addresses));
    return refused ?? handler(c, addresses);
  };
}

/** Collects the addresses that the path names, or refuses the first that is none. */
export function checkAddresses(path: string): CallCheck {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return (c, addresses) => {
    for (const name of names) {
      const value = c.req.param(name);
      if (!isChecksummed(value)) return failure('invalid_address');
      addresses[name] = value;
    }
    return null;
  };
}

/** Whether the caller's token covers the scope. */
export function withScope(scope: Scope): CallCheck {
  return (c) => (covers(grantOf(c), scope) ? null : failure('out_of_scope'));
}
