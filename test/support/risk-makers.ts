/** What a node knows of pending locks, and the locks that it is asked to promise something for. */

import type { Address } from '../../src/basics/hex.ts';
import { protecting, type RiskRule } from '../../src/node/chain/lock-risk.ts';
import { createPendingLocks, type PendingLocks } from '../../src/node/chain/pending-locks.ts';
import { type StoredState, stateFrom } from '../../src/node/runtime/actors/kinds.ts';
import type { LockQuestion } from '../../src/node/runtime/knowledge/lock-gate.ts';
import { openChannel } from './channel-makers.ts';
import {
  CHANNEL,
  EXPIRATION,
  hashOf,
  NOW,
  PARTNER,
  REVEAL_TIMEOUT,
  STRANGER,
  secretOf,
} from './makers.ts';
import { forMediator, mediator, PAYEE_CHANNEL, payerSide } from './mediation-makers.ts';

const RICH = { spare: 10n ** 30n, price: 10n ** 9n };

export type Living = { snapshot: Pick<StoredState, 'value' | 'context'> };

export const note = (pending: PendingLocks, id: string, { snapshot }: Living) =>
  pending.note(id, stateFrom(id, snapshot));

/** What the rules know after these actors were noted, besides a channel with PARTNER. */
export const known = (...actors: [string, Living][]): PendingLocks => knowing(new Map(), ...actors);

/** The same when the operator has said what tokens are worth. */
export function knowing(
  values: ReadonlyMap<Address, bigint>,
  ...actors: [string, Living][]
): PendingLocks {
  const pending = createPendingLocks({ values, money: () => RICH });
  for (const [id, actor] of [[CHANNEL, openChannel()] as const, ...actors])
    note(pending, id, actor);
  return pending;
}

export const copies = (count: number, one: Living) =>
  Array.from({ length: count }, (_, n): [string, Living] => [`mediator:${hashOf(n + 10)}`, one]);

/** So many transfers that were passed on, all alike but for their ids. */
export const forwarded = (count: number, parts: Parameters<typeof mediator>[0] = {}) =>
  copies(count, mediator(parts).tell(forMediator.forwarded()));

type Transfer = { partner?: Address; amountIn?: bigint; channel?: string; revealTimeout?: bigint };

/** A transfer of `partner` is to be passed on. */
export const asksToForward = ({ amountIn = 10n, ...payer }: Transfer = {}): LockQuestion => ({
  kind: 'forward',
  channel: PAYEE_CHANNEL,
  asked: { amountIn, payer: payerSide({ channel: CHANNEL, partner: PARTNER, ...payer }) },
});

type Payment = Partial<Extract<LockQuestion, { kind: 'receive' }>['asked']>;

/** A payment of STRANGER to this node has come over PARTNER, with its secret. */
export const brings = (amount = 10n, parts: Payment = {}): LockQuestion => ({
  kind: 'receive',
  channel: CHANNEL,
  asked: {
    payer: PARTNER,
    initiator: STRANGER,
    amount,
    expiration: EXPIRATION,
    revealTimeout: REVEAL_TIMEOUT,
    secret: secretOf(1),
    ...parts,
  },
});

/** Why a node with this rule promises nothing for the lock; null: it does. `canClaim`: for a token that is no money. */
export const refusalOf = (
  rule: RiskRule,
  pending: PendingLocks,
  asked: LockQuestion,
  canClaim: RiskRule = () => null,
) => protecting([rule], { pending, nowBlock: () => NOW, canClaim })(asked);
