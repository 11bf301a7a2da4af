/** Carries out the steps of a scenario, as the owners of its nodes would. */
import type { ChannelView } from '../../node/runtime/actors/channel-states.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ChannelWish, Done } from '../invariants/records/promises.ts';
import type { Violation } from '../invariants/violation.ts';
import { type Selectable, select } from '../scenario/schema/selection.ts';
import type { Step } from '../scenario/schema/steps.ts';
import type { Randomness } from '../world/randomness.ts';
import { createJudgements, type Judge } from './judgements.ts';
import { createNodeSteps, type NodeStep, type NodeStepOptions } from './node-steps.ts';
import { createRequests, type RequestOptions } from './requests.ts';
import { askUserDeposit, type UserDepositStep } from './user-deposit-steps.ts';

type Options = Omit<RequestOptions, 'judgements'> &
  Pick<NodeStepOptions, 'tryChannels'> & {
    steps: readonly Step[];
    nodes: readonly Selectable[];
    randomness: Randomness;
    /** The present block as the scenario counts. */
    block(): number;
    pay(order: Extract<Step, { do: 'pay' }>, onEnd: (code: string | null) => void): void;
    /** A step did not end as the scenario expects. */
    onViolation(violation: Violation): void;
  };
type InChannel = Extract<Step, { partner: number }>;
type Asking = Extract<Step, { node: number; expect: unknown }>;

export function createSteps(options: Options) {
  const { steps, world, nodes, randomness, block, onViolation } = options;
  /** Channels that must be settled by a block. */
  const settling: { id: bigint; byBlock: number; judge: Judge }[] = [];
  const judgements = createJudgements(onViolation);
  const requests = createRequests({ ...options, judgements });
  const asked = <T>(
    step: Asking,
    answer: Promise<Result<T>> | undefined,
    done: (value: T) => readonly Done[],
  ) => requests.answered(step.node, step, answer, done);
  const nodeSteps = createNodeSteps({ ...options, judgements, leave: requests.leave });

  const nodeOf = (index: number) => world.inhabitants[index]?.machine.node() ?? null;
  const channelOf = ({ node, partner }: InChannel) =>
    nodeOf(node)?.channel(world.token, world.addressOf(partner)) ?? null;

  function inChannel(step: InChannel) {
    const node = nodeOf(step.node);
    const partner = world.addressOf(step.partner);
    const { token } = world;
    const inIt = (wish: ChannelWish) => (channel: ChannelView) => [{ ...wish, channel }];
    switch (step.do) {
      case 'open_channel': {
        const { deposit: totalDeposit, settleTimeout } = step;
        const order = { token, partner, totalDeposit, settleTimeout, revealTimeout: null };
        const opened = node?.openChannel(order);
        // A failure of the partner's deposit is the partner's matter.
        opened?.then((result) => match(step, result)).catch(() => {});
        return asked(step, opened, inIt({ do: step.do, totalDeposit }));
      }
      case 'deposit': {
        const total = (channelOf(step)?.totalDeposit ?? 0n) + step.amount;
        const wish = { do: step.do, totalDeposit: total };
        return asked(step, node?.deposit(token, partner, total), inIt(wish));
      }
      case 'withdraw': {
        const total = (channelOf(step)?.totalWithdraw ?? 0n) + step.amount;
        const wish = { do: step.do, totalWithdraw: total };
        return asked(step, node?.withdraw(token, partner, total), inIt(wish));
      }
      case 'close':
        return asked(step, node?.close(token, partner), inIt({ do: step.do }));
      case 'await_settled':
        return awaitSettled(step);
    }
  }

  /** The chain tells whether it is settled, also when the nodes are down. */
  function awaitSettled(step: Extract<Step, { do: 'await_settled' }>) {
    const pair = [world.addressOf(step.node), world.addressOf(step.partner)] as const;
    const id = world.chain.channelId(world.tokenNetwork, pair);
    const byBlock = Number(step.atBlock) + Number(step.within);
    const judge = judgements.expects(
      `the channel of ${step.node} and ${step.partner}, to be settled by block ${byBlock},`,
    );
    if (id === 0n) judge(`was not there in block ${step.atBlock}`);
    else settling.push({ id, byBlock, judge });
  }

  function join(step: Extract<Step, { do: 'join' }>) {
    asked(step, nodeOf(step.node)?.join(world.token, step.funds), (opened) =>
      opened.map((channel) => {
        const { totalDeposit } = channel;
        return { do: 'open_channel', totalDeposit, channel };
      }),
    );
  }

  function ofUserDeposit(step: UserDepositStep) {
    const node = nodeOf(step.node);
    const { total } = world.chain.userDepositOf(world.addressOf(step.node));
    const answer = node === null ? undefined : askUserDeposit(node, step, total);
    asked(step, answer, () => [{ ...step, total: total + step.amount }]);
  }

  /** Makes the partner's deposit, once there is a channel. */
  async function match<T>(step: Extract<Step, { do: 'open_channel' }>, opened: Result<T>) {
    const { node, partner, partnerDeposit } = step;
    if (opened.ok && partnerDeposit > 0n)
      await nodeOf(partner)?.deposit(world.token, world.addressOf(node), partnerDeposit);
  }

  function ofNodes(step: NodeStep, place: number) {
    for (const { index } of select(step.nodes, nodes, randomness.of(`step ${place}`))) {
      const machine = world.inhabitants[index]?.machine;
      if (machine !== undefined) nodeSteps.act(step, index, machine);
    }
  }

  function pay(step: Extract<Step, { do: 'pay' }>) {
    const what = `the payment of ${step.node} to ${step.to} in block ${step.atBlock}`;
    options.pay(step, judgements.expectsAnswer(what, step.expect));
  }

  function checkAwaited() {
    for (const one of settling.splice(0)) {
      const state = world.chain.channel(world.tokenNetwork, one.id)?.state;
      if (state === 'settled' || state === 'removed') one.judge(null);
      else if (block() > one.byBlock) one.judge(`is ${state ?? 'not there'}`);
      else settling.push(one);
    }
  }

  return {
    unanswered: requests.unanswered,
    /** The run ends: what has had no end is a failure. */
    end() {
      checkAwaited();
      nodeSteps.check();
      judgements.end();
    },
    /** The next block; `now` is its number as the scenario counts. */
    block(now: number) {
      checkAwaited();
      nodeSteps.block(now);
      for (const [place, step] of steps.entries()) {
        if (Number(step.atBlock) !== now) continue;
        if (step.do === 'pay') pay(step);
        else if (step.do === 'join') join(step);
        else if ('partner' in step) inChannel(step);
        else if ('nodes' in step) ofNodes(step, place);
        else ofUserDeposit(step);
      }
    },
  };
}
