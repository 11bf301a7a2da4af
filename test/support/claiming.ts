/** A channel's actor in front of the settlement of a case, beside a store that holds all proofs of both sides. */
import type { ChannelEvent } from '../../machines/channel/context.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import { type Address, toHex, ZERO_HASH } from '../../src/basics/hex.ts';
import { type ProofSources, withSettledProofs } from '../../src/node/chain/settled-proofs.ts';
import { proofAmounts } from '../../src/protocol/channel/channel-end.ts';
import { encodeLock } from '../../src/protocol/channel/lock.ts';
import { openChannel, type PlayedChannel, withEnds } from './channel-makers.ts';
import {
  CHANNEL,
  closed,
  OWN,
  onChannel,
  PARTNER,
  proofUpdated,
  SIGNATURE,
  stamped,
} from './makers.ts';
import { effectsOf } from './played.ts';
import {
  type Case,
  countedOf,
  EXPIRATION,
  hashOfEnd,
  newestOf,
  onChainOf,
  type Who,
} from './proof-histories.ts';

/** What the settlement paid to each side at once. */
export type Paid = Record<Who, bigint>;

const ADDRESSES: Record<Who, Address> = { own: OWN, partner: PARTNER };

/** The channel as this node knows it when what the case has on chain was brought there. */
function closedChannel(given: Case): PlayedChannel {
  const { closer, revealed } = given;
  const [own, partner] = [newestOf(given, 'own'), newestOf(given, 'partner')];
  const { deposit, withdrawn } = own;
  const open = withEnds(openChannel({ deposit, partnerDeposit: partner.deposit }), {
    own: { ...own, withdrawn },
    partner,
  });
  const inTime = [...own.locks, ...partner.locks].filter(
    ({ secrethash, expiration }) => (revealed.get(secrethash) ?? expiration) < expiration,
  );
  const balanceHash = hashOfEnd(partner);
  const proof = { nonce: partner.nonce, balanceHash, additionalHash: ZERO_HASH };
  const { context } = open.snapshot;
  context.partnerProof = partner.nonce === 0n ? null : { ...proof, signature: SIGNATURE };
  const registered = inTime.map(({ secrethash }) =>
    stamped({ type: 'actor.secretRegistered', secrethash, secret: ZERO_HASH } as const),
  );
  const nonCloser = closer === 'own' ? 'partner' : 'own';
  const brought = onChainOf(given, nonCloser);
  const updated = onChainOf(given, closer);
  return open.tell(
    ...registered,
    closed(ADDRESSES[closer], { nonce: brought.nonce, balanceHash: hashOfEnd(brought) }),
    ...(updated.nonce === 0n
      ? []
      : [proofUpdated(ADDRESSES[closer], updated.nonce, hashOfEnd(updated))]),
  );
}

function sourcesOf(given: Case, channel: PlayedChannel): ProofSources {
  const { histories, revealed } = given;
  return {
    disputeOf: () => channel.snapshot.context.dispute,
    findProof: (_, side, hash) => {
      const end = histories[side].findLast((one) => one.nonce > 0n && hashOfEnd(one) === hash);
      return end === undefined ? null : proofAmounts(end);
    },
    locksAt: (_, side, nonce) =>
      (histories[side].find((end) => end.nonce === nonce)?.locks ?? []).map((lock) =>
        toHex(encodeLock(lock)),
      ),
    registeredSecret: (secrethash) => {
      const block = revealed.get(secrethash);
      return block === undefined ? null : { block };
    },
  };
}

/** The sides whose locks the channel's actor unlocks after this settlement. */
export function claimedAfter(given: Case, paid: Paid): readonly Who[] {
  const channel = closedChannel(given);
  const roots = {
    own: proofAmounts(onChainOf(given, 'own')).locksroot,
    partner: proofAmounts(onChainOf(given, 'partner')).locksroot,
  };
  const log = {
    type: 'chain.channelSettled' as const,
    ...onChannel(EXPIRATION),
    participant1: OWN,
    amount1: paid.own,
    locksroot1: roots.own,
    participant2: PARTNER,
    amount2: paid.partner,
    locksroot2: roots.partner,
  };
  const [delivery] = withSettledProofs([{ to: CHANNEL, event: log }], sourcesOf(given, channel));
  const event = stamped(delivery?.event ?? log);
  if (!isSettled(event)) throw new Error('claiming: no settlement');
  return effectsOf(channel.tell(event), 'tx.unlock').map(({ side }) => side);
}

function isSettled(event: {
  type: string;
}): event is Extract<Stamped<ChannelEvent>, { type: 'chain.channelSettled' }> {
  return event.type === 'chain.channelSettled';
}

/** What an unlock of each side's locks brings to this node, of what the contract has kept for it. */
export function gainsOf(given: Case, kept: Record<Who, bigint>): Record<Who, bigint> {
  const counted = (side: Who) => countedOf(given, onChainOf(given, side).locks);
  const paidOut = (side: Who) => (counted(side) < kept[side] ? counted(side) : kept[side]);
  return { own: kept.own - paidOut('own'), partner: paidOut('partner') };
}
