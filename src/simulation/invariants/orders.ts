/**
 * What a node asks of the chain: in time, with the deadline that the contract sets, once, and until it is done or
 * can be done no more.
 */
import * as v from 'valibot';
import type { Batch, JobRow } from '../../store/batch.ts';
import { decode } from '../../store/codec.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<Facts, 'channel' | 'head' | 'machine'>;

const ORDER = v.looseObject({
  type: v.string(),
  deadlineBlock: v.nullish(v.bigint()),
  channelId: v.optional(v.bigint()),
  expiration: v.optional(v.bigint()),
});
type Order = v.InferOutput<typeof ORDER>;
type Open = { type: string; content: string; sinceBlock: bigint };

/** The parts of an order that say nothing of what is to be done. */
const ASIDE = new Set(['key', 'from', 'deadlineBlock']);

/** Blocks in which what was asked for is done when nothing is in its way. */
const PATIENCE = 20n;

export function createOrders({ channel, head, machine }: Needs): Oracle {
  /** What each machine has asked for, and not seen done, by the order's key. */
  const open = new Map<string, Map<string, Open>>();

  function check(who: string, order: Order, { block }: Batch) {
    const { type, deadlineBlock, channelId, expiration } = order;
    const facts = channelId === undefined ? null : channel(channelId);
    if (type === 'tx.settle' && facts?.state === 'closed' && block <= facts.settle)
      throw new Violation(23, who, `${who} settles ${channelId} when ${block} is confirmed`);
    const least = block + (machine(who)?.revealTimeout ?? 0n);
    if (type === 'tx.withdraw' && expiration !== undefined && expiration < least)
      throw new Violation(26, who, `${who} begins at ${block} what no block may take in time`);
    const last =
      type === 'tx.updateProof' && facts?.state === 'closed'
        ? facts.settle
        : type === 'tx.withdraw' && expiration !== undefined
          ? expiration - 1n
          : null;
    if (last !== null && (deadlineBlock ?? last + 1n) > last)
      throw new Violation(25, who, `${who} holds ${type} to be in time until ${deadlineBlock}`);
  }

  function add(who: string, { key, body }: JobRow, batch: Batch) {
    const order = v.parse(ORDER, decode(body));
    check(who, order, batch);
    const orders = open.get(who) ?? new Map<string, Open>();
    open.set(who, orders);
    const content = Object.entries(order)
      .filter(([name]) => !ASIDE.has(name))
      .map(([name, value]) => `${name} ${typeof value === 'object' ? '' : String(value)}`)
      .join();
    for (const [other, known] of orders)
      if (other !== key && known.content === content && order.channelId !== undefined)
        throw new Violation(26, who, `${who} asks for ${order.type} twice at once`);
    orders.set(key, { type: order.type, content, sinceBlock: head() });
  }

  return {
    // Back at the fork everything is asked for once more, whatever is under way; what is sent is judged apart.
    replaced: (who) => void open.delete(who),
    commit(who, batch) {
      for (const row of batch.jobs) add(who, row, batch);
      for (const key of batch.jobsDone) open.get(who)?.delete(key);
    },
    end() {
      for (const [who, orders] of open) {
        const left = [...orders.values()].find(({ sinceBlock }) => sinceBlock + PATIENCE < head());
        if (left !== undefined && machine(who)?.isFit)
          throw new Violation(21, who, `${who} never gets ${left.type} done`);
      }
    },
  };
}
