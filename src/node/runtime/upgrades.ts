/** Upgrades states that older versions of this program wrote to today's shapes, one version at a time. */
import * as v from 'valibot';
import type { StateValue } from 'xstate';

/** A state of an older version: of its context nothing is known but that it is an object. */
export type OldState = { value: StateValue; context: Record<string, unknown> };

/** Channel 1 to 2: adds withdraws. Nothing was ever withdrawn before. */
export function withWithdraws({ value, context }: OldState): OldState {
  const isOpen = typeof value === 'object' && value['opened'] !== undefined;
  return {
    value: isOpen ? { opened: { deposit: value['opened'] ?? 'idle', withdraw: 'idle' } } : value,
    context: {
      ...context,
      ownEnd: withNoneOpen(context['ownEnd']),
      partnerEnd: withNoneOpen(context['partnerEnd']),
      withdraw: null,
      requests: [],
      consents: [],
      consentHorizon: 0n,
    },
  };
}

/** Channel 3 to 4: adds the list of mediated transfers, which was not recorded before. */
export function withForwarded({ value, context }: OldState): OldState {
  return { value, context: { ...context, forwarded: [] } };
}

function withNoneOpen(end: unknown): unknown {
  return typeof end === 'object' && end !== null ? { ...end, withdraws: [] } : end;
}

const owed = v.looseObject({
  registered: v.array(v.string()),
  partnerEnd: v.object({
    locks: v.array(v.object({ secrethash: v.string(), expiration: v.bigint() })),
  }),
  wakeBlock: v.nullable(v.bigint()),
});

/**
 * Channel 2 to 3: open channels claim on chain what their partner owes. A channel with a lock whose secret is
 * registered wakes when that lock expires, which is early enough, and then knows when to wake next.
 */
export function withClaims({ value, context }: OldState): OldState {
  const isOpen = typeof value === 'object' && value['opened'] !== undefined;
  if (!isOpen) return { value, context };
  const { registered, partnerEnd, wakeBlock } = v.parse(owed, context);
  const blocks = partnerEnd.locks
    .filter(({ secrethash }) => registered.includes(secrethash))
    .map(({ expiration }) => expiration);
  const all = wakeBlock === null ? blocks : [...blocks, wakeBlock];
  const first = all.reduce<bigint | null>(
    (least, block) => (least !== null && least < block ? least : block),
    null,
  );
  return { value, context: { ...context, wakeBlock: first } };
}

/** Token network 1 to 2: adds joining and leaving. */
export function withConnections({ value, context }: OldState): OldState {
  const known = { connection: null, matches: [], join: null, leave: null };
  const old = v.parse(v.array(v.record(v.string(), v.unknown())), context['openings']);
  const openings = old.map((opening) => ({ ...opening, totalDeposit: 0n, offer: null }));
  return {
    value: value === 'registered' ? { registered: 'idle' } : value,
    context: { ...context, openings, ...known },
  };
}

/** Initiator 2 to 3: a payment may send its secret with the lock. None did before. */
export function withoutSealedSecret({ value, context }: OldState): OldState {
  const order = v.parse(v.looseObject({}), context['order']);
  return { value, context: { ...context, order: { ...order, sealedSecret: null } } };
}

const metadata = v.pipe(
  v.string(),
  v.transform((text): unknown => JSON.parse(text)),
  v.object({ routes: v.tuple([v.object({ route: v.array(v.string()) })]) }),
);
const directOrder = v.looseObject({ amount: v.bigint(), metadata });

/** Initiator 1 to 2: payments can try several routes one after the other. Each had one route before, without fees. */
export function withAttempts({ value, context }: OldState): OldState {
  const { metadata, ...order } = v.parse(directOrder, context['order']);
  const { route } = metadata.routes[0];
  const only = { route, lockAmount: order.amount, attempt: 1, alternatives: [] };
  const requestId = context['id'];
  return {
    value,
    context: { ...context, order: { ...order, ...only, requestId }, isRefunded: false },
  };
}
