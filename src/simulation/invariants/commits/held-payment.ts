/** What an actor of a payment remembers fits its secrethash, and the locks that both sides have signed. */
import type { Hash, Secret } from '../../../basics/hex.ts';
import type { StoredState } from '../../../node/runtime/actors/kinds.ts';
import type { Lock } from '../../../protocol/channel/lock.ts';
import { secrethashOf } from '../../../protocol/hash.ts';

export type HeldPayment = Extract<
  StoredState,
  { kind: 'initiator' | 'mediator' | 'target' | 'keeper' }
>;
type Side = 'own' | 'partner';
/** A lock that an actor looks after, as it remembers it; what is null it does not know. */
export type Answer = {
  side: Side;
  channel: string;
  secrethash: Hash;
  amount: bigint;
  expiration: bigint | null;
};
type Mediator = Extract<StoredState, { kind: 'mediator' }>['context'];

/** The locks that the actor looks after. */
export function answersOf({ kind, context }: HeldPayment): Answer[] {
  switch (kind) {
    case 'initiator': {
      const { channel, secrethash, lockAmount: amount } = context.order;
      return [{ side: 'own', channel, secrethash, amount, expiration: context.expiration }];
    }
    case 'mediator': {
      const { payer, payee, secrethash, amount, expiration } = context;
      const lock = { secrethash, expiration };
      const came = { side: 'partner' as const, channel: payer.channel, amount, ...lock };
      return payee === null
        ? [came]
        : [came, { side: 'own', channel: payee.channel, amount: payee.amount, ...lock }];
    }
    case 'target': {
      const { channel, secrethash, amount, expiration } = context;
      return [{ side: 'partner', channel, secrethash, amount, expiration }];
    }
    case 'keeper': {
      const { channel, secrethash, amount, expiration, side } = context;
      return [{ side, channel, secrethash, amount, expiration }];
    }
  }
}

type Known = {
  /** The pending lock of a side of a channel; null: there is none. */
  lockIn(side: Side, channel: string, secrethash: Hash): Lock | null;
};

/** What is wrong with the actor as it is on disk now, for a person; null: nothing. */
export function wrongInPayment(held: HeldPayment, { lockIn }: Known): string | null {
  if (!fits(held)) return 'holds a secret of another payment';
  if (held.kind === 'mediator' && !isWokenRight(held.context))
    return 'wakes up at another block than the first at which something is to be done';
  for (const { side, channel, secrethash, amount, expiration } of answersOf(held)) {
    const lock = lockIn(side, channel, secrethash);
    if (lock === null) continue;
    if (lock.amount !== amount) return `looks after ${amount} of a lock of ${lock.amount}`;
    if (expiration !== null && lock.expiration !== expiration)
      return `takes ${expiration} for the end of a lock until ${lock.expiration}`;
  }
  return null;
}

function fits({ kind, context }: HeldPayment): boolean {
  const is = (secret: Secret | null, secrethash: Hash) =>
    secret === null || secrethashOf(secret) === secrethash;
  return kind === 'initiator'
    ? is(context.order.secret, context.order.secrethash)
    : is(context.secret, context.secrethash);
}

function isWokenRight({ payerBlock, payeeBlock, wakeBlock }: Mediator): boolean {
  const blocks = [payerBlock, payeeBlock].filter((block) => block !== null);
  const [first = null] = blocks.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  return wakeBlock === first;
}
