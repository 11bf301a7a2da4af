/** The channels as lines of the drawing: between which places, and what of it belongs to whom. */
import type { Claim, FigureUnit } from '../../page-parts/figure.ts';
import { amountFigure, tokenUnit } from '../../page-parts/labels.ts';
import { bigintAt, fieldOf, textAt } from '../base/fields.ts';
import { between, type MapPlace, type Sheet } from './places.ts';
import { type Agreement, agreementOf, type Party, type SeenChannel } from './sides.ts';

/** A part of the line. `start`: where it begins, in the unit of its claim. */
type Bar = { kind: 'a' | 'a-locked' | 'b-locked' | 'b'; claim: Claim; start: bigint };
/** What one of the two can pay; null: nobody says it. */
export type WireEnd = { name: string; place: MapPlace; said: (Claim & { label: string }) | null };
/** How far a channel is that is closed: the block from which on it can be settled, and how many are left. */
type Closing = { of: string; settlesAt: bigint; settlesIn: bigint };
export type Wire = {
  channel: SeenChannel;
  token: string | null;
  ends: readonly [WireEnd, WireEnd];
  bars: readonly Bar[];
  /** The sum of the bars. */
  whole: bigint;
  isOpen: boolean;
  closing: Closing | null;
  verdict: Agreement['verdict'];
};

type Surroundings = {
  places: ReadonlyMap<string, MapPlace>;
  /** Not all nodes have answered yet: a channel that only one side shows may still be confirmed by the other. */
  isAsking: boolean;
  /** The newest block of any node. */
  block: bigint;
};

/** Null: one of the two is not in the drawing. */
export function wireOf(
  channel: SeenChannel,
  { places, isAsking, block }: Surroundings,
): Wire | null {
  const { parties, sides } = channel;
  const [a, b] = parties;
  const [from, to] = [places.get(a.name), places.get(b.name)];
  if (from === undefined || to === undefined) return null;
  const view = sides[0]?.view;
  const token = textAt(view?.context, 'token');
  const isOpen = sides.every((side) => side.view.row.state.startsWith('opened'));
  const { bars, whole } = barsOf(parties, tokenUnit(token), isOpen);
  const { verdict } = agreementOf(channel);
  return {
    channel,
    token,
    ends: [endOf(a, from, token), endOf(b, to, token)],
    bars,
    whole,
    isOpen,
    closing: closingOf(channel, block),
    verdict: isAsking && verdict === 'alone' ? 'agreed' : verdict,
  };
}

function endOf({ name, told }: Party, place: MapPlace, token: string | null): WireEnd {
  if (told === null) return { name, place, said: null };
  const { of, money } = told;
  const claim = { of: `${of}.capacity`, value: money.capacity, unit: tokenUnit(token) };
  return { name, place, said: { ...claim, label: amountFigure(money.capacity, token) } };
}

/** Of a closed channel what each side owns, since nobody can pay any more. */
function barsOf(
  [a, b]: SeenChannel['parties'],
  unit: FigureUnit,
  isOpen: boolean,
): Pick<Wire, 'bars' | 'whole'> {
  const parts = [
    { kind: 'a', party: a, field: isOpen ? 'capacity' : 'balance' },
    ...(isOpen ? [{ kind: 'a-locked', party: a, field: 'locked' } as const] : []),
    ...(isOpen ? [{ kind: 'b-locked', party: b, field: 'locked' } as const] : []),
    { kind: 'b', party: b, field: isOpen ? 'capacity' : 'balance' },
  ] as const;
  const bars: Bar[] = [];
  let whole = 0n;
  for (const { kind, party, field } of parts) {
    if (party.told === null) return { bars: [], whole: 0n };
    const value = party.told.money[field];
    if (value <= 0n) continue;
    bars.push({ kind, claim: { of: `${party.told.of}.${field}`, value, unit }, start: whole });
    whole += value;
  }
  return { bars, whole };
}

function closingOf({ sides: [side], id }: SeenChannel, block: bigint): Closing | null {
  if (side === undefined) return null;
  const { context } = side.view;
  const [closed, timeout] = [
    bigintAt(fieldOf(context, 'dispute'), 'closeBlock'),
    bigintAt(context, 'settleTimeout'),
  ];
  if (closed === null || timeout === null) return null;
  const settlesAt = closed + timeout + 1n;
  const left = settlesAt - block;
  return { of: `${side.node}/${id}`, settlesAt, settlesIn: left > 0n ? left : 0n };
}

/** The line between two nodes, from rim to rim. */
export function trackOf(
  [from, to]: readonly [MapPlace, MapPlace],
  { radius }: Pick<Sheet, 'radius'>,
) {
  const rim = radius / (Math.hypot(to.x - from.x, to.y - from.y) || 1);
  return { from: between(from, to, rim), to: between(from, to, 1 - rim) };
}

/** A block is counted when others are on it, and a node settles a turn after the other: with these it is over. */
const AFTER_SETTLING = 4n;
const MOST_AT_ONCE = 1_000n;

/** How many blocks settle all channels that are closed; null: none is. */
export function blocksToSettle(channels: readonly SeenChannel[], block: bigint): number | null {
  const left = channels.flatMap((channel) => closingOf(channel, block)?.settlesIn ?? []);
  if (left.length === 0) return null;
  const most = left.reduce((most, one) => (one > most ? one : most), 0n) + AFTER_SETTLING;
  return Number(most < MOST_AT_ONCE ? most : MOST_AT_ONCE);
}
