/**
 * What a settlement leaves in the contract depends on the balance proofs that were on chain and on the secrets that
 * were registered in time. A channel's actor remembers its newest state only: the proofs that were on chain are looked
 * up here and added to the settlement's event.
 */
import type { ChainLog, SettledProof } from '../../../machines/events/chain.ts';
import type { Hash, Hex } from '../../basics/hex.ts';
import type { Balances } from '../../protocol/channel/balance-proof.ts';
import { decodeLock } from '../../protocol/channel/lock.ts';
import type { RegisteredSecret } from '../../store/tables/secrets.ts';
import type { Actors } from '../runtime/actors/actors.ts';
import { channelState } from '../runtime/actors/channel-states.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import type { LogDelivery } from './logs.ts';

type Side = 'own' | 'partner';
export type ProofSources = {
  /** The balance hashes that the contract holds for the channel, by the actor's id; null: the channel is not closed. */
  disputeOf(channel: string): Record<`${Side}Hash`, Hash | null> | null;
  findProof(channel: string, side: Side, balanceHash: Hash): (Balances & { nonce: bigint }) | null;
  /** The locks of the step with this nonce, as the bytes that the locksroot is the hash of. */
  locksAt(channel: string, side: Side, nonce: bigint): readonly Hex[];
  /** The registration of the secret, known up to the block of the settlement at least; null: it is not registered. */
  registeredSecret(secrethash: Hash): RegisteredSecret | null;
};

type Given = {
  actors: Pick<Actors, 'stateOf'>;
  store: Pick<ProofSources, 'findProof' | 'locksAt' | 'registeredSecret'>;
};

/**
 * The sources on disk, and the secrets registered in the same blocks as the settlement, which are not on disk yet. A
 * proof that is on chain was written to disk long before.
 */
export function proofSources(given: Given, logs: readonly ChainLog[]): ProofSources {
  const { actors, store } = given;
  const revealed = new Map(
    logs.flatMap((log) =>
      log.type === 'chain.secretRevealed' ? [[log.secrethash, { block: log.at.block }]] : [],
    ),
  );
  return {
    disputeOf: (channel) => channelState(actors, channel)?.channel.dispute ?? null,
    findProof: store.findProof,
    locksAt: store.locksAt,
    registeredSecret: (secrethash) =>
      revealed.get(secrethash) ?? store.registeredSecret(secrethash),
  };
}

const NOTHING: SettledProof = { transferred: 0n, locked: 0n, claimable: 0n, paid: [] };

/**
 * The deliveries, with the proofs on chain added to each settlement. The caller must draw them one by one, each after
 * the one before was delivered: a close in the same blocks tells which proofs are on chain.
 */
export function* withSettledProofs(
  deliveries: Iterable<Delivery | LogDelivery>,
  sources: ProofSources,
): Generator<Delivery> {
  for (const delivery of deliveries) {
    const { to, event } = delivery;
    yield event.type === 'chain.channelSettled'
      ? { to, event: { ...event, proofs: proofsOf(to, sources) } }
      : { to, event };
  }
}

function proofsOf(channel: string, sources: ProofSources): Record<Side, SettledProof | null> {
  const dispute = sources.disputeOf(channel);
  const proofOf = (side: Side, hash: Hash | null) =>
    hash === null ? NOTHING : settledProof(channel, side, hash, sources);
  return {
    own: proofOf('own', dispute?.ownHash ?? null),
    partner: proofOf('partner', dispute?.partnerHash ?? null),
  };
}

/** Null when the proof is not in the database: it is an old copy. */
function settledProof(
  channel: string,
  side: Side,
  hash: Hash,
  sources: ProofSources,
): SettledProof | null {
  const proof = sources.findProof(channel, side, hash);
  if (proof === null) return null;
  const { transferredAmount: transferred, lockedAmount: locked, nonce } = proof;
  const locks = sources.locksAt(channel, side, nonce).map((packed) => {
    const { secrethash } = decodeLock(packed);
    return { secrethash, amount: claimable(packed, sources) };
  });
  const known = locks.flatMap(({ amount }) => amount ?? []);
  const sum = known.reduce((total, amount) => total + amount, 0n);
  const paid = locks.filter(({ amount }) => amount !== 0n).map(({ secrethash }) => secrethash);
  return { transferred, locked, claimable: known.length === locks.length ? sum : null, paid };
}

/** What the contract pays for the lock: all of it when its secret was registered in time. Null: not known. */
function claimable(packed: Hex, { registeredSecret }: ProofSources) {
  const { amount, expiration, secrethash } = decodeLock(packed);
  const secret = registeredSecret(secrethash);
  if (secret === null) return 0n;
  if (secret.block === null) return null;
  return secret.block < expiration ? amount : 0n;
}
