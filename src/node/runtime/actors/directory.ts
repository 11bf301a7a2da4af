/** Which channel belongs to which token and partner. */
import type { ChannelInput } from '../../../../machines/base/inputs.ts';
import type { Address } from '../../../basics/hex.ts';

export type Directory = ReturnType<typeof createDirectory>;
type Opened = Pick<ChannelInput, 'token' | 'partner' | 'openBlock' | 'channelId'>;
type Entry = Opened & { id: string };

const HOP = 'hop:';

/** `isSettled`: whether the channel is settled, so that at most locks to be unlocked are left on chain. */
export function createDirectory({ isSettled }: { isSettled(id: string): boolean }) {
  const channels = new Map<string, Entry>();
  /** The living channels with each partner, by token; of each pair the one that was opened last first. */
  const byToken = new Map<string, Map<string, readonly Entry[]>>();
  /** Lists, not sets: most partners have one channel, and a set for each would take more memory than the rest. */
  const byPartner = new Map<Address, readonly string[]>();

  /**
   * The contract allows one channel of a pair at a time: all but the newest were settled before it was opened, and are
   * only being wound up. The newest counts until it is settled.
   */
  function current(token: string, partner: string): string | null {
    const newest = byToken.get(token)?.get(partner)?.[0]?.id;
    return newest === undefined || isSettled(newest) ? null : newest;
  }

  /** The token's channels by partner. */
  function partnersOf(token: Address): Map<string, readonly Entry[]> {
    const known = byToken.get(token);
    if (known !== undefined) return known;
    const none = new Map<string, readonly Entry[]>();
    byToken.set(token, none);
    return none;
  }

  function without(id: string, pair: readonly Entry[] | undefined): Entry[] {
    return (pair ?? []).filter((entry) => entry.id !== id);
  }

  /** The partner's channels but this one. */
  function withPartner(partner: Address, id: string): string[] {
    return (byPartner.get(partner) ?? []).filter((one) => one !== id);
  }

  return {
    /** Adds a channel. Channels may be added in any order, because a stored list has none. */
    add(id: string, { token, partner, openBlock, channelId }: Opened) {
      const entry = { id, token, partner, openBlock, channelId };
      const partners = partnersOf(token);
      channels.set(id, entry);
      const pair = partners.get(partner);
      // Nearly every partner has one channel, and nothing has to be sorted for it.
      partners.set(
        partner,
        pair === undefined ? [entry] : [...without(id, pair), entry].sort(laterFirst),
      );
      byPartner.set(partner, byPartner.has(partner) ? [...withPartner(partner, id), id] : [id]);
    },
    remove(id: string) {
      const entry = channels.get(id);
      if (entry === undefined) return;
      const { token, partner } = entry;
      const partners = partnersOf(token);
      const others = without(id, partners.get(partner));
      channels.delete(id);
      if (others.length === 0) partners.delete(partner);
      else partners.set(partner, others);
      const left = withPartner(partner, id);
      if (left.length === 0) byPartner.delete(partner);
      else byPartner.set(partner, left);
    },
    /**
     * The actor id that a name stands for. A name with the prefix `hop:` stands for the channel of its pair, null when
     * there is none; every other name is an actor's own id.
     */
    resolve(name: string): string | null {
      if (!name.startsWith(HOP)) return name;
      const [token = '', partner = ''] = name.slice(HOP.length).split(':');
      return current(token, partner);
    },
    /** The unsettled channel of the pair, or null. */
    find: (token: Address, partner: Address) => current(token, partner),
    withPartner: (partner: Address): readonly string[] => byPartner.get(partner) ?? [],
    /** The actor ids of the token's channels; null: of all channels. */
    ofToken: (token: Address | null): readonly string[] =>
      token === null
        ? [...channels.keys()]
        : [...(byToken.get(token)?.values() ?? [])].flatMap((pair) =>
            pair.toReversed().map(({ id }) => id),
          ),
    has: (id: string) => channels.has(id),
  };
}

/**
 * Sorts the newest first. A pair may settle a channel and open another in one block; then the higher number is newer.
 */
function laterFirst(a: Opened, b: Opened): number {
  const [later, earlier] =
    a.openBlock === b.openBlock ? [a.channelId, b.channelId] : [a.openBlock, b.openBlock];
  return later === earlier ? 0 : later > earlier ? -1 : 1;
}
