/**
 * Draws moments at which two things meet that chance alone seldom brings together: one of them in a world, written with the
 * steps, faults and moves that any scenario has.
 */
import type { Draw } from '../../world/randomness.ts';
import type { Facts } from './traffic.ts';

/** Share of the seeds with such a moment. */
const SHARE = 0.4;

type Added = { steps?: readonly object[]; faults?: readonly object[]; attacks?: readonly object[] };
type Occasion = (draw: Draw, facts: Facts) => Added;

const pay = (node: number, to: number, at_block: number, more: object) => {
  return { do: 'pay', node, to, at_block, ...more };
};
const fault = (kind: string, when: object, more: object = {}) => ({ kind, when, ...more });
const habit = (nodes: number, moves: readonly object[], from_block = 0) => {
  return { plan: 'moves', nodes: String(nodes), from_block, moves };
};
/** Somebody in the middle, and one of the two ends. */
const middleOf = ({ kind }: Facts) => (kind === 'star' ? 0 : 1);

/** Two payers use the same secret for one payee, at once or when the first payment has ended. Neither pays the other's on. */
const sharedSecret: Occasion = (draw, { kind, far: [one, other], amount, nodes, blocks }) => {
  const at = draw.integer(2, blocks - 14);
  const order = { amount: amount(draw.integer(2, 40)), secret: draw.integer(4, 9) };
  const between = kind === 'star' ? [0, nodes - 1] : [one + 1, other - 1];
  const to = draw.pick(between.filter((node) => node !== one && node !== other));
  const pause = draw.pick([0, 0, 1, 9]);
  return { steps: [pay(one, to, at, order), pay(other, to, at + pause, order)] };
};

/** A secret is registered and its channel settled while a node reads no blocks, so that it sees both at once. */
const registeredAndSettled: Occasion = (draw, facts) => {
  const { nodes, settle, blocks } = facts;
  const cheat = nodes - 1;
  const partner = facts.kind === 'star' ? 0 : nodes - 2;
  const closed = draw.integer(3, 8);
  const at_block = Math.min(blocks - 1, closed + settle - draw.integer(0, 1));
  const register = Array.from({ length: 6 }, (_, n) => {
    return { do: 'register', after: at_block - 2 + n, index: draw.integer(0, 1_000) };
  });
  return {
    steps: [{ do: 'close', at_block: closed, node: cheat, partner }],
    faults: [
      fault(
        draw.pick(['frozen_head', 'pause']),
        { at_block, blocks: 3 },
        { nodes: String(partner) },
      ),
    ],
    attacks: [habit(cheat, [{ do: 'ignore', type: 'RevealSecret', times: 1_000 }, ...register])],
  };
};

/** Confirmed blocks are replaced between two steps of an end. */
const deepFork: Occasion = (draw, { confirmations }) => {
  const after = draw.pick(['registration_mined', 'settlement_sent', 'settlement_mined']);
  return { faults: [fault('reorganisation', { after }, { depth: confirmations + 1 })] };
};

/** Gas gets dear when something has to be brought in time. */
const dearDeadline: Occasion = (draw) => {
  const after = draw.pick(['close_mined', 'registration_sent', 'update_sent']);
  const when = { after, blocks: draw.integer(4, 8) };
  return { faults: [fault('price_spike', when, { factor: draw.integer(3, 30) })] };
};

/** A lock and its end are in one batch: the disk is slower than the partner. */
const slowDisk: Occasion = (draw, facts) => {
  const { amount, far, blocks } = facts;
  const at = draw.integer(4, blocks - 10);
  const middle = middleOf(facts);
  const ms = draw.integer(2, 9) * 1_000;
  const payments = Array.from({ length: draw.integer(2, 5) }, () =>
    pay(far[0], middle === far[0] ? far[1] : middle, at + 1, {
      amount: amount(draw.integer(1, 9)),
    }),
  );
  const disk = { at_block: at, blocks: 4 };
  return {
    steps: payments,
    faults: [fault(draw.pick(['disk_slow', 'disk_late']), disk, { nodes: String(middle), ms })],
  };
};

/** A node withdraws twice, and its partner holds the first consent back. */
const heldConsent: Occasion = (draw, facts) => {
  const { nodes, amount, kind } = facts;
  const cheat = nodes - 1;
  const node = kind === 'star' ? 0 : nodes - 2;
  const at_block = draw.integer(2, 8);
  const out = (at: number) => {
    const wanted = amount(draw.integer(1, 60));
    return { do: 'withdraw', at_block: at, node, partner: cheat, amount: wanted };
  };
  const consent = { type: 'WithdrawConfirmation', times: 1, blocks: draw.integer(2, 40) };
  return {
    steps: [out(at_block), out(at_block + draw.integer(1, 12))],
    attacks: [habit(cheat, [{ do: 'hold', ...consent }])],
  };
};

/** The token, or the price, makes an unlock fail once. */
const failedUnlock: Occasion = (draw) => {
  const kind = draw.pick(['hostile_token', 'hostile_token', 'failing_calls']);
  const more = kind === 'failing_calls' ? { share: 0.8 } : {};
  return { faults: [fault(kind, { after: 'unlock_sent', blocks: draw.integer(1, 2) }, more)] };
};

/** By the names of what they bring together. */
export const OCCASIONS = {
  sharedSecret,
  registeredAndSettled,
  deepFork,
  dearDeadline,
  slowDisk,
  heldConsent,
  failedUnlock,
} as const satisfies Record<string, Occasion>;
/** These need a cheat that is already there, at the end of the network. */
const OF_CHEATS: ReadonlySet<string> = new Set<keyof typeof OCCASIONS>([
  'registeredAndSettled',
  'heldConsent',
]);

export function drawOccasion(draw: Draw, facts: Facts): Added {
  if (!draw.happens(SHARE)) return {};
  const possible = Object.entries(OCCASIONS).filter(
    ([name]) => facts.cheats > 0 || !OF_CHEATS.has(name),
  );
  const [, occasion] = draw.pick(possible);
  return occasion(draw, facts);
}
