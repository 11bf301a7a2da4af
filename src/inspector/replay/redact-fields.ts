/**
 * The meaning of every field that has hexadecimal text: the table names them all, so that a new field of an event,
 * an effect, an input or a context does not compile until it is decided whether it may be shown.
 */
import type { Contexts, Kind } from '../../../machines/contexts.ts';
import type { Effect } from '../../../machines/effects.ts';
import type { ActorEvent } from '../../../machines/events.ts';
import type { Hex } from '../../basics/hex.ts';

/**
 * `address`: 20 bytes and no more; `public`: bytes that anybody may see; `hash`: public, but the value with this
 * hash is a secret.
 */
export type FieldMeaning = 'address' | 'public' | 'hash' | 'secret' | 'signature';

/** What an actor is spawned with is in the effect that spawns it. */
type Shown = Contexts[Kind] | ActorEvent | Effect;

/** The names of the fields anywhere in T that may hold hexadecimal text, or a list of such. */
export type HexFieldOf<T> = T extends readonly (infer Item)[]
  ? HexFieldOf<Item>
  : T extends object
    ? { [Name in keyof T & string]: NameOrInner<Name, T[Name]> }[keyof T & string]
    : never;
type NameOrInner<Name extends string, Value> =
  | (Extract<Value, Hex | readonly Hex[]> extends never ? never : Name)
  | HexFieldOf<Value>;

export const HEX_FIELDS = {
  candidates: 'address',
  closer: 'address',
  contract: 'address',
  giver: 'address',
  hops: 'address',
  initiator: 'address',
  own: 'address',
  participant: 'address',
  participant1: 'address',
  participant2: 'address',
  partner: 'address',
  payer: 'address',
  receiver: 'address',
  recipient: 'address',
  route: 'address',
  sender: 'address',
  target: 'address',
  to: 'address',
  token: 'address',
  tokenNetwork: 'address',
  tokens: 'address',
  additionalHash: 'public',
  balanceHash: 'public',
  lock: 'public',
  locksroot: 'public',
  locksroot1: 'public',
  locksroot2: 'public',
  ownHash: 'public',
  sealedSecret: 'public',
  partnerHash: 'public',
  transactionHash: 'public',
  paid: 'hash',
  registered: 'hash',
  secrethash: 'hash',
  content: 'secret',
  secret: 'secret',
  signature: 'signature',
  partnerSignature: 'signature',
  proofSignature: 'signature',
} satisfies Record<HexFieldOf<Shown>, FieldMeaning>;
