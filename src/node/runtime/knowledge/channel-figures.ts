/**
 * What is asked of all channels at once, kept as they change: anybody can open channels with this node, and to read
 * thousands of them for one payment would keep all others waiting.
 */
import { channelTags } from '../../../../machines/tags.ts';
import type { Address } from '../../../basics/hex.ts';
import { distributable } from '../../../protocol/channel/channel-end.ts';
import { apiState, type ChannelView } from '../actors/channel-states.ts';
import type { StoredState } from '../actors/kinds.ts';

export type ChannelFigures = ReturnType<typeof createChannelFigures>;

type Figure = {
  token: Address;
  state: ChannelView['state'];
  /** What this node has deposited in all. */
  deposit: bigint;
  /** What this node can pay now; null: the channel takes no payments. */
  payable: bigint | null;
  /** Pending locks that this node has given, and that its partner has. */
  ownLocks: number;
  partnerLocks: number;
};

/** A channel through which this node can pay. */
export type Payer = { payable: bigint; ownLocks: number };

export function createChannelFigures() {
  const figures = new Map<string, Figure>();
  const byToken = new Map<Address, Map<string, Figure>>();

  function forget(id: string): void {
    const known = figures.get(id);
    if (known === undefined) return;
    figures.delete(id);
    byToken.get(known.token)?.delete(id);
  }

  function keep(id: string, figure: Figure): void {
    const ofToken = byToken.get(figure.token) ?? new Map<string, Figure>();
    byToken.set(figure.token, ofToken.set(id, figure));
    figures.set(id, figure);
  }

  const ofToken = (token: Address | null): ReadonlyMap<string, Figure> =>
    token === null ? figures : (byToken.get(token) ?? new Map<string, Figure>());

  /** The channels that the condition holds for. */
  function idsOf(token: Address | null, holds: (figure: Figure) => boolean): string[] {
    const ids: string[] = [];
    for (const [id, figure] of ofToken(token)) if (holds(figure)) ids.push(id);
    return ids;
  }

  function* payers(token: Address): Iterable<Payer> {
    for (const { payable, ownLocks } of ofToken(token).values())
      if (payable !== null) yield { payable, ownLocks };
  }

  return {
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, state: StoredState): void {
      if (state.kind === 'channel') keep(id, figureOf(state));
    },
    /** Called when an actor has ended. */
    forget,
    /** What this node can pay through the channel now; null when the channel takes no payments. */
    payable: (channel: string): bigint | null => figures.get(channel)?.payable ?? null,
    /** How many locks of this node are pending in the channel. */
    locksPending: (channel: string): number => figures.get(channel)?.ownLocks ?? 0,
    /** The channels of the token that take payments. */
    payers,
    /** Whether a channel of the token takes payments; of so much, when `amount` is not null. */
    canPay(token: Address, amount: bigint | null): boolean {
      for (const { payable } of payers(token)) if (payable >= (amount ?? 0n)) return true;
      return false;
    },
    unsettled: (token: Address | null): string[] =>
      idsOf(token, ({ state }) => state !== 'settled'),
    /** Unsettled channels in which locks of either side are pending. */
    withLocks: (token: Address | null): string[] =>
      idsOf(
        token,
        ({ state, ownLocks, partnerLocks }) => ownLocks + partnerLocks > 0 && state !== 'settled',
      ),
    /** What this node has deposited in each open channel, by token; a token without one is left out. */
    deposits(): Map<Address, bigint[]> {
      const deposits = new Map<Address, bigint[]>();
      for (const [token, ofToken] of byToken) {
        const open = [...ofToken.values()].filter(({ state }) => state === 'opened');
        if (open.length > 0)
          deposits.set(
            token,
            open.map(({ deposit }) => deposit),
          );
      }
      return deposits;
    },
  };
}

function figureOf({ value, context }: Extract<StoredState, { kind: 'channel' }>): Figure {
  const { token, ownEnd, partnerEnd } = context;
  const tags = channelTags(value);
  return {
    token,
    state: apiState(tags),
    deposit: ownEnd.deposit,
    payable: tags.has('takesLocks') ? distributable(ownEnd, partnerEnd) : null,
    ownLocks: ownEnd.locks.length,
    partnerLocks: partnerEnd.locks.length,
  };
}
