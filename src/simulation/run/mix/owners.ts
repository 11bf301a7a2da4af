/** What owners set and ask for in a small random network, beside channels: histories, budgets, services, joining. */
import type { Draw } from '../../world/randomness.ts';

/** `blocks`: of the busy part of the run; `length`: of the whole. */
type Facts = { nodes: number; blocks: number; length: number; confirmations: number };

const HISTORY_SHARE = 0.3;
const SELLER_SHARE = 0.7;
const BUDGET_SHARE = 0.2;
const USER_DEPOSIT_SHARE = 0.3;
const JOIN_SHARE = 0.2;
const RUSH_SHARE = 0.4;
/** Blocks that a rush takes at most, with what follows from it. */
const RUSH = 12;
/** Blocks from a plan to a withdrawal of the user deposit, as the contract has it. */
const WITHDRAW_DELAY = 100;
/** Blocks in which what an owner asked for is answered: a request in the last ones would never be. */
const ANSWERED = 15;

/** For all nodes. */
export function drawHistory(draw: Draw) {
  return draw.happens(HISTORY_SHARE) ? { keep_history: draw.pick([5, 60, 600]) } : {};
}

/** One node sells, or all do: offers that end before some locks do. */
export function drawSellers(draw: Draw, nodes: number) {
  if (!draw.happens(SELLER_SHARE)) return [];
  return [
    { nodes: draw.pick(['all', String(draw.integer(0, nodes - 1))]), sells: draw.integer(4, 8) },
  ];
}

/** The most that whoever begins a flow of payments pays in a day: some of them are refused. */
export function drawBudget(draw: Draw, amount: (number: number) => string) {
  return draw.happens(BUDGET_SHARE) ? { per_day: amount(draw.integer(150, 800)) } : {};
}

export function drawOwners(draw: Draw, facts: Facts, amount: (number: number) => string) {
  return [...drawUserDeposit(draw, facts), ...drawJoin(draw, facts, amount)];
}

/** More is filled in, planned and taken out, sometimes more than there is or too early. */
function drawUserDeposit(draw: Draw, { nodes, blocks, length, confirmations }: Facts) {
  if (!draw.happens(USER_DEPOSIT_SHARE)) return [];
  const node = draw.integer(0, nodes - 1);
  const amount = () => `${draw.integer(1, 20)} tokens`;
  const planBlock = draw.integer(2, 6);
  const soon = planBlock + WITHDRAW_DELAY + confirmations + draw.integer(-2, 8);
  const planned = amount();
  const steps = [
    { do: 'fill_user_deposit', node, at_block: draw.integer(0, 4), amount: amount() },
    { do: 'fill_user_deposit', node, at_block: draw.integer(0, blocks), amount: amount() },
    { do: 'plan_user_withdrawal', node, at_block: planBlock, amount: planned },
    {
      do: 'withdraw_user_deposit',
      node,
      at_block: draw.integer(planBlock, blocks),
      amount: planned,
    },
    { do: 'withdraw_user_deposit', node, at_block: soon, amount: planned },
  ];
  return steps.filter(({ at_block }) => at_block < length - ANSWERED);
}

function drawJoin(draw: Draw, { nodes, blocks }: Facts, amount: (number: number) => string) {
  if (!draw.happens(JOIN_SHARE)) return [];
  const node = draw.integer(0, nodes - 1);
  const funds = amount(draw.integer(100, 1_000));
  return [{ do: 'join', node, at_block: draw.integer(0, blocks - 10), funds }];
}

/** `far`: both ends of a flow of money. */
type Flow = Pick<Facts, 'blocks'> & { far: readonly [number, number]; blockSeconds: number };

/**
 * Several payments at once, and again in the next blocks: they share messages and commits, above all when a disk is slow, so
 * that locks and the ends of others meet in one Update.
 */
export function drawRush(draw: Draw, facts: Flow, amount: (number: number) => string) {
  if (!draw.happens(RUSH_SHARE)) return { steps: [], faults: [] };
  const { far, blocks, blockSeconds } = facts;
  const [payer, payee] = draw.happens(0.5) ? far : [far[1], far[0]];
  const first = draw.integer(3, blocks - RUSH);
  const times = draw.integer(2, 4);
  const steps = Array.from({ length: times * draw.integer(2, 4) }, (_, place) => {
    const at_block = first + (place % times);
    return { do: 'pay', at_block, node: payer, to: payee, amount: amount(draw.integer(5, 40)) };
  });
  const when = { at_block: first, blocks: times };
  // A disk that takes longer than a block keeps its node from every deadline.
  const ms = draw.integer(40, 300) * blockSeconds;
  const slow = { kind: 'disk_slow', nodes: String(payer), when, ms };
  return { steps, faults: draw.happens(0.8) ? [slow] : [] };
}
