/**
 * What a node shows of its channels agrees with its disk and the chain: it is computed again from the steps that
 * the node has written and the logs that it has read, without any of its own arithmetic.
 */

import * as v from 'valibot';
import { channelActorId, placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import type { RecordProof } from '../../../../machines/effects.ts';
import type { ChainLog } from '../../../../machines/events/chain.ts';
import { larger, smaller } from '../../../basics/amount.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { ChannelView } from '../../../node/runtime/actors/channel-states.ts';
import type { PendingTransfer } from '../../../node/runtime/actors/parties.ts';
import type { Batch, OutboxRow } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'confirmations' | 'head' | 'machine' | 'tokenNetwork'> & {
  /** The newest channel of a running node with this partner; null: it shows none. */
  viewOf(who: string, partner: Address): ChannelView | null;
  /** Whether what the node shows is in its replica, so that a caller gets to see it. */
  isSettled(who: string): boolean;
  /** The pending locks that a running node shows. */
  pendingOf(who: string): readonly PendingTransfer[];
};
type Step = Pick<RecordProof, 'nonce' | 'transferredAmount' | 'lockedAmount'> & { locks: number };
type Side = 'own' | 'partner';
type Asked = v.InferOutput<typeof REQUEST>;
/** One channel as the disk of one node has it. */
type Books = {
  who: string;
  steps: Record<Side, Step>;
  /** The logs about the channel, oldest first. */
  logs: ChainLog[];
  /** The withdraws that the node has requested: until when it subtracts them is up to the node. */
  asked: Asked[];
};
/** What one side of a channel has deposited, and withdrawn. */
type Money = { deposit: bigint; withdrawn: bigint };
type Expected = Pick<
  ChannelView,
  'channelId' | 'totalDeposit' | 'totalWithdraw' | 'state' | 'settleTimeout'
>;

const REQUEST = v.looseObject({
  type: v.literal('WithdrawRequest'),
  channelId: v.bigint(),
  totalWithdraw: v.bigint(),
  expiration: v.bigint(),
});
const NAMED = REQUEST.entries.type.literal;
/** Blocks that a node may take to see that a withdraw is no longer possible. */
const SLACK = 6n;
const NOTHING: Step = { nonce: 0n, transferredAmount: 0n, lockedAmount: 0n, locks: 0 };
const FIELDS = [
  'channelId',
  'totalDeposit',
  'totalWithdraw',
  'state',
  'settleTimeout',
] as const satisfies readonly (keyof Expected)[];

export function createViews(needs: Needs): Oracle {
  const { confirmations, head, machine, tokenNetwork, viewOf, isSettled, pendingOf } = needs;
  /** A node is asked for its channels of one token. */
  const isShown = (channel: string) => placeOfChannel(channel)?.tokenNetwork === tokenNetwork;
  /** The records by machine and channel. */
  const books = new Map<string, Books>();
  /** The records that have changed since they were last compared. */
  const changed = new Set<Books>();

  function booksOf(who: string, channel: string): Books {
    const key = `${who} ${channel}`;
    const steps = { own: NOTHING, partner: NOTHING };
    const known = getOrMake(books, key, () => ({ who, steps, logs: [], asked: [] }));
    changed.add(known);
    return known;
  }

  function note(who: string, { proofs, logs, fork, outbox }: Batch) {
    if (fork !== null) forget(who, fork.block);
    for (const { channel, side, changes, ...proof } of proofs) {
      if (!isShown(channel)) continue;
      const { steps } = booksOf(who, channel);
      if (proof.nonce <= steps[side].nonce) continue;
      const { nonce, transferredAmount, lockedAmount } = proof;
      const added = changes.filter(({ kind }) => kind === 'add').length;
      const locks = steps[side].locks + 2 * added - changes.length;
      steps[side] = { nonce, transferredAmount, lockedAmount, locks };
    }
    for (const { channel, log } of logs) if (isShown(channel)) booksOf(who, channel).logs.push(log);
    for (const row of outbox) noteAsked(who, row);
  }

  function noteAsked(who: string, { body }: OutboxRow) {
    if (!body.includes(NAMED)) return;
    const request = v.safeParse(REQUEST, decode(body));
    if (!request.success) return;
    const { asked } = booksOf(
      who,
      channelActorId({ tokenNetwork, channelId: request.output.channelId }),
    );
    asked.push(request.output);
  }

  /** Forgets the logs above the fork: the chain has others now. */
  function forget(who: string, forkBlock: bigint) {
    for (const one of books.values())
      if (one.who === who) one.logs = one.logs.filter(({ at }) => at.block <= forkBlock);
  }

  /** Compares one channel. False: the node ended while it was asked. */
  function check(known: Books, own: Address): boolean {
    const { who, logs } = known;
    const opened = logs.find(({ type }) => type === 'chain.channelOpened');
    // A channel whose opening the node has not read yet cannot be shown.
    if (opened?.type !== 'chain.channelOpened') return true;
    const { participant1, participant2, channelId, settleTimeout } = opened;
    const partner = participant1 === own ? participant2 : participant1;
    // A node that is asked first writes what it has done: only after that are the records up to date.
    const shown = viewOf(who, partner);
    if (machine(who)?.isFit !== true || !isSettled(who)) return false;
    // A settled channel is no longer shown.
    if (logs.some(({ type }) => type === 'chain.channelSettled')) return true;
    const [mine, theirs] = [moneyOf(logs, own), moneyOf(logs, partner)];
    const expected: Expected = {
      channelId,
      settleTimeout,
      totalDeposit: mine.deposit,
      totalWithdraw: mine.withdrawn,
      state: logs.some(isClose) ? 'closed' : 'opened',
    };
    if (shown === null) throw new Violation(28, who, `${who} shows no channel ${channelId}`);
    const wrong = FIELDS.find((field) => shown[field] !== expected[field]);
    if (wrong !== undefined) {
      const text = `${who} shows ${shown[wrong]} as ${wrong} of channel ${channelId}`;
      throw new Violation(28, who, `${text}: it is ${expected[wrong]}`);
    }
    const balances = balancesOf(known, mine, theirs);
    if (balances.includes(shown.balance)) return true;
    const text = `${who} shows ${shown.balance} as balance of channel ${channelId}`;
    throw new Violation(28, who, `${text}: it is ${balances.join()}`);
  }

  /**
   * The balances that the node may show: more than one while a withdraw may still, or may no longer, be carried
   * out.
   */
  function balancesOf(known: Books, mine: Money, theirs: Money): bigint[] {
    const over = head() - 3n * confirmations - SLACK;
    // Nothing can be withdrawn from a closed channel.
    const isOpen = !known.logs.some(isClose);
    known.asked = known.asked.filter(({ expiration }) => isOpen && expiration >= over);
    const isOver = ({ expiration }: Asked) => head() - confirmations >= expiration;
    const least = known.asked.every(isOver) ? [mine.withdrawn] : [];
    const totals = known.asked.map(({ totalWithdraw }) => larger(mine.withdrawn, totalWithdraw));
    return [...totals, ...least].map((withdrawn) =>
      balanceOf(known.steps, { ...mine, withdrawn }, theirs),
    );
  }

  function checkPending(who: string) {
    const counts = new Map<string, number>();
    for (const { tokenNetwork, channelId, lockedAmount, transferredAmount } of pendingOf(who)) {
      const channel = channelActorId({ tokenNetwork, channelId });
      const { own, partner } = books.get(`${who} ${channel}`)?.steps ?? {
        own: NOTHING,
        partner: NOTHING,
      };
      const count = (counts.get(channel) ?? 0) + 1;
      counts.set(channel, count);
      const isOf = (step: Step) =>
        step.lockedAmount === lockedAmount && step.transferredAmount === transferredAmount;
      if (count <= own.locks + partner.locks && (isOf(own) || isOf(partner))) continue;
      const text = `${who} shows a lock of ${lockedAmount} in channel ${channelId}, which it has not`;
      throw new Violation(28, who, text);
    }
  }

  function look() {
    const machines = new Set<string>();
    // What is looked at again comes back into the set.
    for (const one of [...changed]) {
      const node = machine(one.who);
      if (node?.isFit === false) continue;
      changed.delete(one);
      if (node === null) continue;
      if (check(one, node.address)) machines.add(one.who);
      else changed.add(one);
    }
    for (const who of machines) checkPending(who);
  }

  return { commit: note, block: look, end: look };
}

const isClose = ({ type }: ChainLog): boolean => type === 'chain.channelClosed';

function moneyOf(logs: readonly ChainLog[], of: Address): Money {
  const money = { deposit: 0n, withdrawn: 0n };
  for (const log of logs) {
    if (log.type === 'chain.channelDeposit' && log.participant === of)
      money.deposit = log.totalDeposit;
    if (log.type === 'chain.channelWithdraw' && log.participant === of)
      money.withdrawn = log.totalWithdraw;
  }
  return money;
}

/**
 * The balance of this node. Amounts locked for the partner are not included; where a reorganisation has removed a
 * deposit, nobody owns what is not there.
 */
function balanceOf({ own, partner }: Books['steps'], mine: Money, theirs: Money): bigint {
  const stake = mine.deposit - mine.withdrawn;
  const moved = partner.transferredAmount - own.transferredAmount;
  const all = stake + theirs.deposit - theirs.withdrawn;
  return smaller(larger(0n, stake + moved - own.lockedAmount), all);
}
