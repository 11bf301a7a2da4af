/** A node in a run as its strategy has it: what it asks goes to the node's own interface. */
import type { NodeApi } from '../../../node/api/api.ts';
import type { FeeTerms } from '../../../protocol/fees/fee-terms.ts';
import type { NodePlan } from '../../scenario/topology.ts';
import type { Draw } from '../../world/randomness.ts';
import type { Scheduler } from '../../world/scheduler.ts';
import type { World } from '../world.ts';
import type { Answer, Fees, OpenChannel, OwnNode } from './strategy.ts';
import { shortestWay } from './ways.ts';

type Ordered = {
  from: number;
  to: number;
  amount: bigint;
  path: readonly number[] | null;
  fee: bigint | null;
};
export type Around = {
  world: World;
  scheduler: Pick<Scheduler, 'every' | 'now'>;
  /** Milliseconds between blocks. */
  blockMs: number;
  block(): number;
  /** When the scenario began. */
  begun(): number;
  indexOf(address: string): number | null;
  /** The channels that were ever opened. */
  channels: readonly { id: bigint; a: number; b: number }[];
  /** Asks the node to pay; `onEnd`: null when the payment has arrived, else its code. */
  pay(order: Ordered, onEnd: (code: string | null) => void): void;
  note(who: string, text: string): void;
};

const MILLION = 1_000_000n;
/** As in a scenario. */
const MOST_IMBALANCE = 50_000n;
const refused = (code: string, detail = ''): Answer => ({ ok: false, code, detail });
const DOWN = refused('node_down');

/** Strategies in JavaScript may give numbers, which would only fail deep in a node. */
function demandWhole(values: object) {
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'number')
      throw new TypeError(`${name} must be a bigint such as 3000n, and is the number ${value}`);
}

export function createOwnNode(plan: NodePlan, random: Draw, around: Around): OwnNode {
  const { world, scheduler, block } = around;
  const { index, name, role } = plan;
  const machine = world.inhabitants[index]?.machine;
  const process = () => machine?.node() ?? null;
  const { token, tokenNetwork, addressOf } = world;

  /** The answer of the process that was asked, if that lives to give it. */
  function ask(
    what: string,
    amounts: object,
    work: (node: NodeApi) => Promise<{ ok: true } | { ok: false; code: string; detail?: string }>,
  ): Promise<Answer> {
    demandWhole(amounts);
    const asked = process();
    if (machine === undefined || asked === null) return Promise.resolve(DOWN);
    around.note(name, `is asked to ${what}`);
    return new Promise((resolve) => {
      const stop = scheduler.every(around.blockMs, () => {
        if (process() !== asked) end(refused('node_died'));
      });
      function end(answer: Answer) {
        stop();
        resolve(answer);
      }
      machine.call(() => {
        work(asked).then(
          (answer) => end(answer.ok ? { ok: true } : refused(answer.code, answer.detail)),
          (error) => end(refused('node_died', String(error))),
        );
      });
    });
  }

  function pay(order: Omit<Ordered, 'from'>): Promise<Answer> {
    demandWhole({ amount: order.amount, fee: order.fee });
    if (process() === null) return Promise.resolve(DOWN);
    around.note(name, `is asked to pay ${order.amount} to ${order.to}`);
    return new Promise((resolve) => {
      around.pay({ from: index, ...order }, (code) =>
        resolve(code === null ? { ok: true } : refused(code)),
      );
    });
  }

  function network(): OpenChannel[] {
    return around.channels.flatMap(({ id, a, b }) => {
      const facts = world.chain.channel(tokenNetwork, id);
      if (facts?.state !== 'opened') return [];
      const capacity = facts.sides.reduce(
        (sum, { deposit, withdrawn }) => sum + deposit - withdrawn,
        0n,
      );
      return [{ a, b, capacity }];
    });
  }

  const channelWith = (partner: number) => process()?.channel(token, addressOf(partner)) ?? null;

  return {
    index,
    name,
    role,
    random,
    block,
    now: () => scheduler.now() - around.begun(),
    channels() {
      const capacities = new Map(
        network().flatMap(({ a, b, capacity }) =>
          a === index || b === index ? [[a === index ? b : a, capacity] as const] : [],
        ),
      );
      return (process()?.channels({ token }) ?? []).flatMap(({ state, balance, ...channel }) => {
        const partner = around.indexOf(channel.partner);
        const capacity = partner === null ? undefined : capacities.get(partner);
        if (state !== 'opened' || partner === null || capacity === undefined) return [];
        return [{ partner, own: balance, capacity }];
      });
    },
    network,
    way: (from, to, past) => shortestWay(network(), from, to, past),
    fees: () => feesOf(plan.fees),
    setFees(changed) {
      demandWhole(changed);
      const terms = termsOf({ ...feesOf(plan.fees), ...changed });
      // A process that starts later reads them here.
      plan.fees = terms;
      process()?.setFees(token, terms);
      around.note(name, `charges ${Object.values(terms).join(' ')}`);
    },
    open: (partner, totalDeposit) =>
      ask(`open a channel with ${partner}`, { totalDeposit }, (node) => {
        const terms = { settleTimeout: plan.settleTimeout, revealTimeout: null };
        return node.openChannel({ token, partner: addressOf(partner), totalDeposit, ...terms });
      }),
    deposit: (partner, amount) =>
      ask(`deposit ${amount}`, { amount }, (node) => {
        const total = (channelWith(partner)?.totalDeposit ?? 0n) + amount;
        return node.deposit(token, addressOf(partner), total);
      }),
    withdraw: (partner, amount) =>
      ask(`withdraw ${amount}`, { amount }, (node) => {
        const total = (channelWith(partner)?.totalWithdraw ?? 0n) + amount;
        return node.withdraw(token, addressOf(partner), total);
      }),
    close: (partner) =>
      ask(`close with ${partner}`, {}, (node) => node.close(token, addressOf(partner))),
    pay: ({ to, amount, path = null, fee = null }) => pay({ to, amount, path, fee }),
    rebalance({ path, amount, fee = null }) {
      const circle = path.at(-1) === index ? path : [...path, index];
      return pay({ to: index, amount, path: circle, fee });
    },
  };
}

const feesOf = ({ flat, proportional, imbalance, capFees }: FeeTerms): Fees => ({
  flat,
  proportionalPpm: proportional,
  imbalancePpm: imbalance,
  cap: capFees,
});

function termsOf({ flat, proportionalPpm, imbalancePpm, cap }: Fees): FeeTerms {
  const isGood =
    flat >= 0n &&
    proportionalPpm >= 0n &&
    proportionalPpm <= MILLION &&
    imbalancePpm >= 0n &&
    imbalancePpm <= MOST_IMBALANCE;
  if (!isGood)
    throw new Error(`a fee is out of bounds: ${flat}, ${proportionalPpm}, ${imbalancePpm} ppm`);
  return { flat, proportional: proportionalPpm, imbalance: imbalancePpm, capFees: cap };
}
