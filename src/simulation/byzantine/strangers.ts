/**
 * Keys that no node has, as many as an attack wants, and what they do with channels of junk tokens: they open them,
 * perhaps with units for the other side, give locks in them, close them, and leave the rest to their partner. All of it
 * is paid from the account of the attack.
 */
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address, Secret } from '../../basics/hex.ts';
import { toHex } from '../../basics/hex.ts';
import { NO_LOCKS_ROOT } from '../../protocol/channel/lock.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { type LockChange, MAX_CHANGES } from '../../protocol/messages/changes.ts';
import type { SentMessage } from '../../protocol/messages/table.ts';
import { routesMetadata } from '../../protocol/wire/metadata.ts';
import { callData } from '../chain/contracts/abi.ts';
import type { Junk, Move } from '../scenario/schema/moves.ts';
import { closeWith, registerSecrets } from './chain-moves.ts';
import type { Market, Power, Stranger } from './program.ts';
import { createSignedEnd, type SignedEnd } from './signed-end.ts';

export type StrangerMove = Extract<Move, { do: 'open' | 'stuff' | 'abandon' }>;
type Stuff = Extract<Move, { do: 'stuff' }>;
type Facts = {
  secretRegistry: Address;
  chainId: bigint;
  junk(kind: Junk): Market | null;
  /** The channel of the pair; 0: there is none. */
  channelId(network: Address, pair: readonly [Address, Address]): bigint;
  onMove(text: string): void;
};
/** One key and its channel with a node. */
type Place = { power: Power; stranger: Stranger; market: Market; victim: Address };
/** What is said so many times more, every few blocks: nobody listens for acknowledgements. */
type Saying = { place: Place; lines: readonly SentMessage[]; block: bigint; left: number };

/** More units than an attack ever deposits. */
const PLENTY = 10n ** 24n;
/** Blocks until the other side has seen that a channel was opened, and from one saying to the next. */
const SEEN = 4n;
const PAUSE = 2n;
const TIMES = 5;
/** Secrets in one transaction, so that it fits into the limit of the account. */
const BATCH = 40;

export function createStrangers({ secretRegistry, chainId, junk, channelId, onMove }: Facts) {
  const supplied = new Set<string>();
  /** What waits until a channel is on chain. */
  let waiting: { place: Place; work(id: bigint): void }[] = [];
  let sayings: Saying[] = [];
  const ends = new Map<string, SignedEnd>();
  const secrets = new Map<string, Secret>();

  /** Mints units for the account of the attack, and lets the channels of their token take them. */
  function supply({ own, call }: Power, { token, network }: Market) {
    const key = `${own} ${token}`;
    if (supplied.has(key)) return;
    supplied.add(key);
    call(token, callData('mint(uint256)', PLENTY));
    call(token, callData('approve(address,uint256)', network, PLENTY));
  }

  const idOf = ({ stranger, market, victim }: Place) =>
    channelId(market.network, [stranger.own, victim]);

  function open(place: Place, move: Extract<Move, { do: 'open' }>) {
    const { power, stranger, market, victim } = place;
    const { network } = market;
    supply(power, market);
    const signature = 'openChannelWithDeposit(address,address,uint256,uint256)';
    const terms = [stranger.own, victim, move.settleTimeout, BigInt(move.deposit)] as const;
    power.call(network, callData(signature, ...terms));
    if (move.gift === 0) return;
    const raise = 'setTotalDeposit(uint256,address,uint256,address)';
    const work = (id: bigint) =>
      power.call(network, callData(raise, id, victim, BigInt(move.gift), stranger.own));
    waiting.push({ place, work });
  }

  function abandon(place: Place, id: bigint) {
    const { power, stranger, market, victim } = place;
    const channel = { chainId, tokenNetwork: market.network, channelId: id, partner: victim };
    closeWith({ ...stranger, call: power.call }, channel, null);
  }

  /** The secret of the lock of this number; in channels that share their secrets it is the same in all. */
  function secretAt({ power, stranger, victim }: Place, move: Stuff, n: number): Secret {
    const key = `${move.secrets === 'own' ? stranger.own : power.own} ${victim} ${n}`;
    return getOrMake(secrets, key, () => toHex(power.draw.bytes(32)));
  }

  function stuff(place: Place, move: Stuff, id: bigint) {
    const { power, stranger, market } = place;
    const own = Array.from({ length: move.times }, (_, n) => secretAt(place, move, n));
    const expiration = power.head() + move.blocks;
    const changes = own.map((secret) => lockFor(place, secret, expiration));
    const tokenNetwork = market.network;
    const end = getOrMake(ends, stranger.own, () => createSignedEnd(stranger.sign));
    for (let at = 0; at < changes.length; at += MAX_CHANGES) {
      const some = changes.slice(at, at + MAX_CHANGES);
      const numbers = { nonce: 0n, transferredAmount: 0n, lockedAmount: 0n };
      const where = { chainId, tokenNetwork, channelId: id, locksroot: NO_LOCKS_ROOT };
      const messageId = power.draw.bigint(1n, 2n ** 63n);
      say(place, end.next({ type: 'Update', ...where, ...numbers, messageId, changes: some }), 0n);
    }
    if (move.show === 'told')
      for (const secret of own) {
        const messageId = power.draw.bigint(1n, 2n ** 63n);
        say(place, stranger.sign({ type: 'RevealSecret', messageId, secret }), PAUSE);
      }
  }

  function lockFor({ power, stranger, market, victim }: Place, secret: Secret, expiration: bigint) {
    return {
      type: 'lock',
      paymentId: power.draw.bigint(1n, 2n ** 63n),
      token: market.token,
      recipient: victim,
      target: victim,
      initiator: stranger.own,
      lock: { amount: 1n, expiration, secrethash: secrethashOf(secret) },
      metadata: routesMetadata([stranger.own, victim]),
    } as const satisfies LockChange;
  }

  function say(place: Place, line: SentMessage, later: bigint) {
    const block = place.power.head() + later;
    sayings.push({ place, lines: [line], block, left: TIMES });
  }

  /** Brings the secrets of these locks on chain, each once. */
  function register(places: readonly Place[], move: Stuff) {
    const [first] = places;
    if (first === undefined || move.show !== 'registered') return;
    const all = places.flatMap((place) =>
      Array.from({ length: move.times }, (_, n) => secretAt(place, move, n)),
    );
    const once = [...new Set(all)];
    for (let at = 0; at < once.length; at += BATCH)
      registerSecrets(first.power, secretRegistry, once.slice(at, at + BATCH));
  }

  function begin(places: readonly Place[], move: StrangerMove) {
    for (const place of places) {
      if (move.do === 'open') open(place, move);
      else if (move.do === 'abandon') waiting.push({ place, work: (id) => abandon(place, id) });
      else waiting.push({ place, work: (id) => later(place, move, id) });
    }
    const [first] = places;
    if (move.do !== 'stuff' || first === undefined) return;
    // By then the node has the locks.
    const due = first.power.head() + SEEN + PAUSE;
    waiting.push({ place: first, work: () => schedule(due, () => register(places, move)) });
  }

  const timers: { block: bigint; work(): void }[] = [];
  const schedule = (block: bigint, work: () => void) => void timers.push({ block, work });
  const later = (place: Place, move: Stuff, id: bigint) =>
    schedule(place.power.head() + SEEN, () => stuff(place, move, id));

  return {
    /** The keys of the move do it, with the victim. */
    act(power: Power, move: StrangerMove, victim: Address | undefined) {
      const market = junk(move.token);
      if (market === null || victim === undefined || victim === power.own) return;
      onMove(`${move.keys} keys ${move.do} channels`);
      const places = Array.from({ length: move.keys }, (_, n) => {
        return { power, stranger: power.stranger(move.first + n), market, victim };
      });
      begin(places, move);
    },
    block(head: bigint) {
      const before = waiting;
      waiting = [];
      for (const one of before) {
        const id = idOf(one.place);
        if (id === 0n) waiting.push(one);
        else one.work(id);
      }
      const due = timers.filter(({ block }) => block <= head);
      timers.splice(0, timers.length, ...timers.filter(({ block }) => block > head));
      for (const { work } of due) work();
      sayings = sayings.filter((saying) => {
        if (saying.block > head) return true;
        saying.place.stranger.say({ to: saying.place.victim, messages: saying.lines });
        saying.block = head + PAUSE;
        saying.left -= 1;
        return saying.left > 0;
      });
    },
  };
}
