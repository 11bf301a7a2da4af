/**
 * An amount that may still be withdrawn is promised to nobody else; a withdraw is given up only when no block can
 * contain it any more; and only a limited number is agreed to. The rule has its own arithmetic, as the node's is
 * what is tested.
 */

import { channelActorId, placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import type { RecordProof } from '../../../../machines/effects.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { CanonicalId } from '../../../protocol/channel/canonical-id.ts';
import type { PendingWithdraw } from '../../../protocol/channel/channel-end.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { SideFacts } from '../../chain/contracts/token-network.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { stateOf } from '../states.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channel' | 'confirmations' | 'head' | 'machine' | 'tokenNetwork'>;
type Withdrawal = CanonicalId & { participant: Address; totalWithdraw: bigint; expiration: bigint };
/** One signed withdraw, with the nonce of the consent; null: it was only requested. */
type Signed = { totalWithdraw: bigint; expiration: bigint; consent: bigint | null };
/** The newest step of each side of a channel, as one node has written it. */
type Books = Record<'own' | 'partner', { transferred: bigint; locked: bigint }>;

/** The most withdraws of a partner that a node keeps open at a time. */
const MOST_OPEN = 16;
/** Withdraws of one side of a channel that are remembered. */
const KEPT = 300;

export function createWithdrawals(facts: Needs): Oracle {
  const { channel, confirmations, head, machine, tokenNetwork } = facts;
  /** By machine, channel and address of the withdrawing side. */
  const signed = new Map<string, Signed[]>();
  const books = new Map<string, Books>();
  /** The withdraws that nodes were told have expired, by machine and message. */
  const lapses = new Map<string, Withdrawal>();
  /** What nodes keep back for withdraws of their partners, by machine and channel. */
  const reserved = new Map<string, readonly PendingWithdraw[]>();

  /** The newest confirmed block, on which every node acts. */
  const seen = () => head() - confirmations;
  const ofSide = (who: string, id: bigint, owner: Address) => {
    const key = `${who} ${id} ${owner}`;
    return getOrMake(signed, key, () => []);
  };
  const isAlive = ({ expiration }: Signed) => seen() < expiration;

  function booksOf(who: string, id: string): Books {
    const empty = { transferred: 0n, locked: 0n };
    return getOrMake(books, `${who} ${id}`, () => ({ own: empty, partner: empty }));
  }

  /** Each side still owns what it has locked, besides everything that can be withdrawn. */
  function checkCover(who: string, id: bigint, side: SideFacts, isOwn: boolean) {
    const { own, partner } = booksOf(who, channelActorId({ tokenNetwork, channelId: id }));
    const [gone, come] = isOwn ? [own, partner] : [partner, own];
    const out = ofSide(who, id, side.address)
      .filter(isAlive)
      .reduce((most, { totalWithdraw }) => (totalWithdraw > most ? totalWithdraw : most), 0n);
    const taken = out > side.withdrawn ? out : side.withdrawn;
    const left = side.deposit - taken - gone.transferred + come.transferred - gone.locked;
    if (left >= 0n) return;
    const whose = isOwn ? 'it owns' : 'its partner owns';
    throw new Violation(2, who, `${who} lets ${-left} more go in channel ${id} than ${whose}`);
  }

  function checkSides(who: string, id: bigint, which: 'own' | 'partner' | 'both') {
    const node = machine(who);
    const open = channel(id);
    if (node === null || open?.state !== 'opened') return;
    for (const side of open.sides) {
      const isOwn = side.address === node.address;
      if (which === 'both' || which === (isOwn ? 'own' : 'partner'))
        checkCover(who, id, side, isOwn);
    }
  }

  function step(who: string, { channel: id, side, transferredAmount, lockedAmount }: RecordProof) {
    const entry = { transferred: transferredAmount, locked: lockedAmount };
    const known = booksOf(who, id);
    // After its disk lost the newest rows, a node takes the same steps again.
    if (entry.transferred < known[side].transferred) return;
    books.set(`${who} ${id}`, { ...known, [side]: entry });
    const place = placeOfChannel(id);
    if (place !== null) checkSides(who, place.channelId, side);
  }

  function sign(who: string, message: Withdrawal, consent: bigint | null) {
    const { channelId, participant, totalWithdraw, expiration } = message;
    const known = ofSide(who, channelId, participant);
    const same = known.find(
      (one) => one.totalWithdraw === totalWithdraw && one.expiration === expiration,
    );
    if (same !== undefined && same.consent !== consent)
      throw new Violation(17, who, `${who} agrees twice to take ${totalWithdraw} out`);
    if (same !== undefined) return;
    known.push({ totalWithdraw, expiration, consent });
    if (known.length > KEPT) known.shift();
    checkSides(who, channelId, 'both');
    const withdrawn = takenOut(message);
    const open = known.filter((one) => isAlive(one) && one.totalWithdraw > withdrawn);
    if (open.length > MOST_OPEN)
      throw new Violation(32, who, `${who} holds ${open.length} withdrawals open`);
  }

  const takenOut = ({ channelId, participant }: Withdrawal): bigint =>
    channel(channelId)?.sides.find(({ address }) => address === participant)?.withdrawn ?? 0n;

  /** Checks that a withdraw is not given up too early. `first`: the first confirmed block at which it may be. */
  function checkOver(who: string, message: Withdrawal, first: bigint) {
    const isDone = takenOut(message) >= message.totalWithdraw;
    if (seen() >= first || isDone) return;
    throw new Violation(17, who, `${who} holds a withdrawal to be over at ${seen()}, too early`);
  }

  /** Who agrees that a withdraw has expired keeps nothing back for it any more. */
  function checkGivenUp(who: string, { totalWithdraw, expiration, ...place }: Withdrawal) {
    const id = channelActorId(place);
    const isThat = (one: PendingWithdraw) =>
      one.totalWithdraw === totalWithdraw && one.expiration === expiration;
    if (reserved.get(`${who} ${id}`)?.some(isThat) === true)
      throw new Violation(39, who, `${id} of ${who} keeps money back for a withdraw that is over`);
  }

  function says(who: string, message: Message) {
    switch (message.type) {
      case 'WithdrawRequest':
        return sign(who, message, null);
      case 'WithdrawConfirmation':
        return sign(who, message, message.nonce);
      case 'WithdrawExpired':
        return checkOver(who, message, message.expiration + 2n * confirmations);
      case 'Processed': {
        const key = `${who} ${message.messageId}`;
        const lapsed = lapses.get(key);
        lapses.delete(key);
        if (lapsed === undefined) return;
        checkOver(who, lapsed, lapsed.expiration + confirmations);
        checkGivenUp(who, lapsed);
      }
    }
  }

  return {
    commit(who, { proofs, actors }) {
      for (const proof of proofs) step(who, proof);
      for (const row of actors) {
        const state = stateOf(row);
        if (state.kind === 'channel')
          reserved.set(`${who} ${row.id}`, state.context.partnerEnd.withdraws);
      }
    },
    says: (who, _, message) => says(who, message),
    hears(who, _, message) {
      // A cheat may use the number of such a message again, for one that is acknowledged.
      if ('messageId' in message) lapses.delete(`${who} ${message.messageId}`);
      if (message.type !== 'WithdrawExpired') return;
      lapses.set(`${who} ${message.messageId}`, message);
      if (lapses.size > KEPT) lapses.delete(lapses.keys().next().value ?? '');
    },
  };
}
