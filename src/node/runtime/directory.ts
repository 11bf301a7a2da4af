/** Which channel belongs to which token and partner, and who has to be woken at which block. */
import type { ChannelInput } from '../../../machines/inputs.ts';
import type { Address } from '../../protocol/hex.ts';

export type Directory = ReturnType<typeof createDirectory>;
type Opened = Pick<ChannelInput, 'token' | 'partner' | 'openBlock' | 'channelId'>;
type Entry = Opened & { id: string };

const HOP = 'hop:';

/** `isSettled`: whether nothing of the channel but locks to be unlocked is left on chain. */
export function createDirectory({ isSettled }: { isSettled(id: string): boolean }) {
  const channels = new Map<string, Entry>();
  /** The living channels of each pair, the one that was opened last first. */
  const byPair = new Map<string, readonly Entry[]>();
  const byPartner = new Map<Address, Set<string>>();

  const pairOf = (token: Address, partner: Address) => `${token}:${partner}`;

  /**
   * The contract has one channel of a pair at a time: those before the last were settled before it was
   * opened, and are only being wound up. So is the last one, once it is settled.
   */
  function current(pair: string): string | null {
    const newest = byPair.get(pair)?.[0]?.id;
    return newest === undefined || isSettled(newest) ? null : newest;
  }

  function without(id: string, pair: string): Entry[] {
    return (byPair.get(pair) ?? []).filter((entry) => entry.id !== id);
  }

  return {
    /** In any order: a stored list has none. */
    add(id: string, { token, partner, openBlock, channelId }: Opened) {
      const entry = { id, token, partner, openBlock, channelId };
      const pair = pairOf(token, partner);
      channels.set(id, entry);
      byPair.set(pair, [...without(id, pair), entry].sort(laterFirst));
      const known = byPartner.get(partner);
      if (known === undefined) byPartner.set(partner, new Set([id]));
      else known.add(id);
    },
    remove(id: string) {
      const entry = channels.get(id);
      if (entry === undefined) return;
      const { token, partner } = entry;
      const pair = pairOf(token, partner);
      const others = without(id, pair);
      channels.delete(id);
      if (others.length === 0) byPair.delete(pair);
      else byPair.set(pair, others);
      byPartner.get(partner)?.delete(id);
    },
    /**
     * What a name stands for: the channel of the pair in a hop's name, null when there is none; every
     * other name is an actor's own.
     */
    resolve(name: string): string | null {
      return name.startsWith(HOP) ? current(name.slice(HOP.length)) : name;
    },
    /** The unsettled channel of the pair, or null. */
    find: (token: Address, partner: Address) => current(pairOf(token, partner)),
    withPartner: (partner: Address): readonly string[] => [...(byPartner.get(partner) ?? [])],
    /** The actors of the token's channels, or of all. */
    ofToken: (token: Address | null): readonly string[] =>
      [...channels.values()]
        .filter((entry) => token === null || entry.token === token)
        .map(({ id }) => id),
    has: (id: string) => channels.has(id),
  };
}

/** A pair may close its channel and open another in one block; the contract counts its channels up. */
function laterFirst(a: Opened, b: Opened): number {
  const [later, earlier] =
    a.openBlock === b.openBlock ? [a.channelId, b.channelId] : [a.openBlock, b.openBlock];
  return later === earlier ? 0 : later > earlier ? -1 : 1;
}

export type WakeUps = ReturnType<typeof createWakeUps>;

/** Actors by the block that they wait for. */
export function createWakeUps() {
  const waits = new Map<string, bigint>();
  return {
    set(id: string, wakeBlock: bigint | null) {
      if (wakeBlock === null) waits.delete(id);
      else waits.set(id, wakeBlock);
    },
    /** How many wait for a block. */
    size: () => waits.size,
    /** Those whose block has come; each is woken once, until it waits for another. */
    due(nowBlock: bigint): string[] {
      const due = [...waits].filter(([, wakeBlock]) => wakeBlock <= nowBlock).map(([id]) => id);
      for (const id of due) waits.delete(id);
      return due;
    },
  };
}
