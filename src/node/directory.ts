/** Which channel belongs to which token and partner, and who has to be woken at which block. */
import type { ChannelInput } from '../../machines/effects.ts';
import type { Address } from '../protocol/hex.ts';

export type Directory = ReturnType<typeof createDirectory>;
type Entry = { id: string; token: Address; partner: Address };

const HOP = 'hop:';

export function createDirectory() {
  const channels = new Map<string, Entry>();
  const byPair = new Map<string, string>();
  const byPartner = new Map<Address, Set<string>>();

  const pair = (token: Address, partner: Address) => `${token}:${partner}`;

  return {
    /** A later channel of the same pair takes the place of one that is only being wound up. */
    add(id: string, { token, partner }: Pick<ChannelInput, 'token' | 'partner'>) {
      channels.set(id, { id, token, partner });
      byPair.set(pair(token, partner), id);
      const known = byPartner.get(partner);
      if (known === undefined) byPartner.set(partner, new Set([id]));
      else known.add(id);
    },
    remove(id: string) {
      const entry = channels.get(id);
      if (entry === undefined) return;
      const { token, partner } = entry;
      channels.delete(id);
      if (byPair.get(pair(token, partner)) === id) byPair.delete(pair(token, partner));
      byPartner.get(partner)?.delete(id);
    },
    /**
     * What a name stands for: the channel of the pair in a hop's name, null when there is none; every
     * other name is an actor's own.
     */
    resolve(name: string): string | null {
      return name.startsWith(HOP) ? (byPair.get(name.slice(HOP.length)) ?? null) : name;
    },
    find: (token: Address, partner: Address) => byPair.get(pair(token, partner)) ?? null,
    withPartner: (partner: Address): readonly string[] => [...(byPartner.get(partner) ?? [])],
    /** The actors of the token's channels, or of all. */
    ofToken: (token: Address | null): readonly string[] =>
      [...channels.values()]
        .filter((entry) => token === null || entry.token === token)
        .map(({ id }) => id),
    has: (id: string) => channels.has(id),
  };
}

export type Alarms = ReturnType<typeof createAlarmClock>;

/** Actors by the block that they wait for. */
export function createAlarmClock() {
  const waits = new Map<string, bigint>();
  return {
    set(id: string, wakeBlock: bigint | null) {
      if (wakeBlock === null) waits.delete(id);
      else waits.set(id, wakeBlock);
    },
    /** How many wait for a block. */
    size: () => waits.size,
    /** Those whose block has come; each is woken once, until it sets its clock again. */
    ring(nowBlock: bigint): string[] {
      const due = [...waits].filter(([, wakeBlock]) => wakeBlock <= nowBlock).map(([id]) => id);
      for (const id of due) waits.delete(id);
      return due;
    },
  };
}
