/**
 * What cheats cost others besides gas, against what they do themselves: bytes and payloads on the wire (each is sealed by
 * one and opened by the other, which is most of a node's work), rows that stay on disks, and tokens that wait in locks.
 * Each is bounded, so that nobody keeps others busy for nothing.
 */

import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import { type Changed, lockChanges } from '../lock-changes.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';
import type { OwnChannel } from './own-channels.ts';

type Needs = Pick<Facts & Ledger, 'cheatOf' | 'firstBlock' | 'head' | 'isStarted' | 'machine'> & {
  /** The channel with the id of its actor; null: there was none. */
  channelAt(id: string): OwnChannel | null;
};
/**
 * `rows`: its own are the locks that it gave for its payments. `waiting`: amount times blocks of locks, in the token's
 * smallest unit.
 */
const KINDS = ['bytes', 'payloads', 'rows', 'waiting'] as const;
type Kind = (typeof KINDS)[number];
/** `ranOut`: how many of the locks that it gave were neither paid nor taken back before their expiration. */
export type Burdens = Record<Kind, { spent: number; caused: number }> & { ranOut: number };
type Side = keyof Burdens[Kind];
type Waiting = { burdens: Burdens; side: Side; amount: number; since: bigint; end: bigint };

/**
 * How many times as much as it spends a cheat may cost each honest node, and how much in each block besides: who is silent is
 * told for ever what it has not acknowledged. A lock leaves up to five rows where all goes to the chain: its secret, ends of
 * its actors, and a payment.
 */
const MOST: Record<Kind, { times: number; perBlock: number }> = {
  bytes: { times: 4, perBlock: 4_000 },
  payloads: { times: 10, perBlock: 10 },
  rows: { times: 5, perBlock: 0 },
  waiting: { times: 2, perBlock: 0 },
};

export function createBurdens(needs: Needs) {
  const { head, machine, cheatOf } = needs;
  const cheats = new Map<string, Burdens>();
  /** The honest nodes, with those that have lost what they wrote since: what a cheat has cost them still counts. */
  const victims = new Set<string>();
  /** The cheats that gave locks for payments of their own, by secrethash. */
  const givers = new Map<string, Burdens>();
  const locks = new Map<string, Waiting>();

  function at(name: string): Burdens {
    const none = () => ({ spent: 0, caused: 0 });
    return getOrMake(cheats, name, () => ({
      bytes: none(),
      payloads: none(),
      rows: none(),
      waiting: none(),
      ranOut: 0,
    }));
  }

  function burdensOf(address: Address | undefined): Burdens | null {
    const name = address === undefined ? null : cheatOf(address);
    return name === null ? null : at(name);
  }

  /** Whose the lock is: of its own, that the cheat has given the node itself, or of the node, that it has passed on. */
  function ownerOf(who: string, { side, channel, secrethash }: Changed): Burdens | null {
    if (needs.isStarted(secrethash)) return null;
    if (side === 'own') return givers.get(secrethash) ?? null;
    const own = machine(who)?.address;
    return burdensOf(needs.channelAt(channel)?.sides.find((one) => one !== own));
  }

  function begin(key: string, burdens: Burdens, side: Side, lock: `0x${string}`): void {
    const { amount, expiration: end } = decodeLock(lock);
    locks.set(key, { burdens, side, amount: Number(amount), since: head(), end });
  }

  /** A lock that has run out is a matter of the chain from then on. */
  function end(key: string): void {
    const lock = locks.get(key);
    if (lock === undefined) return;
    locks.delete(key);
    const { burdens, side, amount, since } = lock;
    const hasRunOut = head() >= lock.end;
    const until = hasRunOut ? lock.end : head();
    if (side === 'spent' && hasRunOut) burdens.ranOut += 1;
    burdens.waiting[side] += amount * Math.max(0, Number(until - since));
  }

  function judge(): void {
    const blocks = Number(head() - needs.firstBlock);
    for (const [name, burdens] of cheats)
      for (const kind of KINDS) {
        const { spent, caused } = burdens[kind];
        const { times, perBlock } = MOST[kind];
        if (caused <= perBlock * blocks + times * spent * victims.size) continue;
        const text = `${name} spends ${spent} ${kind} and makes others spend ${caused}`;
        throw new Violation(36, null, text);
      }
  }

  const oracle: Oracle = {
    commit(who, { proofs, payments, ended, registered }) {
      victims.add(who);
      for (const change of lockChanges(proofs)) {
        const { side, kind, secrethash, lock, channel } = change;
        const key = `${who} ${side} ${channel} ${secrethash}`;
        const burdens = kind === 'add' ? ownerOf(who, change) : null;
        if (kind !== 'add') end(key);
        if (burdens === null) continue;
        begin(key, burdens, side === 'own' ? 'caused' : 'spent', lock);
        if (givers.has(secrethash)) continue;
        givers.set(secrethash, burdens);
        burdens.rows.spent += 1;
      }
      const actors = ended.map((id) => id.slice(id.indexOf(':') + 1));
      const kept = [...actors, ...[...payments, ...registered].map((row) => row.secrethash)];
      for (const secrethash of kept) {
        const burdens = givers.get(secrethash);
        if (burdens !== undefined) burdens.rows.caused += 1;
      }
    },
    end() {
      for (const key of [...locks.keys()]) end(key);
      judge();
    },
  };
  return {
    oracle,
    at,
    names: () => [...cheats.keys()],
    /** Somebody sends somebody a payload of so many bytes. */
    carried(from: Address, to: Address, bytes: number) {
      const [sender, recipient] = [burdensOf(from), burdensOf(to)];
      if ((sender === null) === (recipient === null)) return;
      const [burdens, side]: [Burdens | null, Side] =
        sender === null ? [recipient, 'caused'] : [sender, 'spent'];
      if (burdens === null) return;
      burdens.bytes[side] += bytes;
      burdens.payloads[side] += 1;
    },
  };
}
