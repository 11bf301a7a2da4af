/** Draws who pays whom in a small random network, and what owners ask of their nodes meanwhile. */
import type { Draw } from '../../world/randomness.ts';

/**
 * Facts about the drawn network; timeouts in blocks, `blocks` of the busy part of the run. `far`: two nodes without a
 * channel between them. `cheats`: how many programs cheat. `amount` writes an amount in thousandths of a token, or in units. `isPoor`: most payments are
 * too large for what is there.
 */
export type Facts = {
  kind: 'line' | 'ring' | 'star';
  nodes: number;
  cheats: number;
  far: readonly [number, number];
  blocks: number;
  confirmations: number;
  reveal: number;
  settle: number;
  isPoor: boolean;
  amount(number: number): string;
};

/** Money goes to and fro between two ends, so that it lasts; and to and fro between others, cheats above all. */
export function drawTraffic(draw: Draw, facts: Facts): object[] {
  const { nodes, far, cheats, reveal, settle, amount: written } = facts;
  const most = written(facts.isPoor ? 400 : 40);
  const amount = { kind: 'uniform', least: written(1), most };
  const flow = (from: number, to: number, tenths: number) => {
    const [payer, payee] = [from, to].map((one) => ({ kind: 'nodes', nodes: String(one) }));
    return { from: payer, to: payee, rate: rateOf(tenths), amount };
  };
  const [one, other] = far;
  const lock_timeout = draw.pick([reveal + 1, reveal + 2, 2 * reveal, settle]);
  const back = flow(other, one, draw.integer(1, 3));
  const ends = [
    flow(one, other, draw.integer(1, 3)),
    draw.happens(0.2) ? { ...back, lock_timeout } : back,
  ];
  if (cheats === 0) return [...ends, { rate: rateOf(1), amount }];
  return [...ends, flow(one, nodes - 1, 1), flow(nodes - 1, one, 1)];
}

const rateOf = (tenths: number) => ({ kind: 'poisson', per_block: tenths / 10 });

/** What an owner may ask for; the more often a word is here, the more often it is drawn. */
const WISHES = [
  'deposit',
  'deposit',
  'withdraw',
  'withdraw',
  'withdraw',
  'close',
  'pay',
  'pay',
  'pay',
  'open_channel',
] as const;

/** Owners deposit, withdraw, pay and close now and then. */
export function drawSteps(draw: Draw, facts: Facts): unknown[] {
  const { nodes, blocks, amount: written } = facts;
  return Array.from({ length: draw.integer(1, 6) }, () => {
    const node = draw.integer(0, nodes - 1);
    const partner = partnerOf(facts, node);
    const at = { at_block: draw.integer(0, blocks - 5), node };
    const what = draw.pick(WISHES);
    const amount = written(draw.integer(1, 400));
    if (what === 'close') return { do: what, ...at, at_block: lateBlock(draw, facts), partner };
    if (what === 'pay') return { do: what, ...at, ...drawOrder(draw, facts, node) };
    if (what === 'open_channel') {
      const other = otherThan(draw, nodes, node);
      const partner_deposit = draw.happens(0.5) ? amount : '0';
      return { do: what, ...at, partner: other, deposit: amount, partner_deposit };
    }
    return { do: what, ...at, partner, amount };
  });
}

/** What ends channels comes late, mostly: what is closed early carries no payments. */
const lateBlock = (draw: Draw, { blocks, isPoor }: Facts) =>
  draw.integer(isPoor ? 0 : blocks - 6, blocks - 1);

/** A payment's secret and identifier are small numbers, so that two payments sometimes have the same. */
function drawOrder(draw: Draw, { nodes, reveal, settle, amount: written }: Facts, node: number) {
  return {
    to: otherThan(draw, nodes, node),
    amount: written(draw.integer(1, draw.happens(0.2) ? 400 : 60)),
    ...(draw.happens(0.6) ? { secret: draw.pick([0, 1, 1, 2, 2, 3]) } : {}),
    ...(draw.happens(0.5) ? { identifier: draw.integer(1, 2) } : {}),
    ...(draw.happens(0.3) ? { lock_timeout: draw.pick([reveal + 1, settle, settle + 1]) } : {}),
  };
}

function otherThan(draw: Draw, nodes: number, node: number): number {
  return (node + draw.integer(1, nodes - 1)) % nodes;
}

function partnerOf({ kind, nodes }: Facts, node: number): number {
  if (kind === 'star') return node === 0 ? 1 : 0;
  if (kind === 'ring') return (node + 1) % nodes;
  return node + 1 < nodes ? node + 1 : node - 1;
}

/** Blocks in which a payment arrives, and somewhat more: the ends of channels come so much after the last one. */
const LAST_PAYMENT = 6;

/**
 * All nodes leave: while payments are under way, or after all locks have ended. In the latter case whoever can pay its
 * partner is to do so just before.
 */
export function drawEnd(draw: Draw, { blocks, reveal, confirmations }: Facts): unknown[] {
  const late = blocks + 2 * reveal + 4 * confirmations + 5;
  const at_block = draw.pick([blocks, blocks + 3, late]);
  const leave = { do: 'leave', nodes: 'all', at_block };
  if (at_block < late) return [leave];
  const tried = { do: 'try_channels', nodes: 'all', at_block: late - LAST_PAYMENT, if_quiet: true };
  return [tried, leave];
}
