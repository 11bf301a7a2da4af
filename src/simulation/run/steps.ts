/** Carries out the steps of a scenario, as the owners of its nodes would. */
import type { ChannelView } from '../../node/runtime/actors/channel-states.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ChannelWish } from '../invariants/records/promises.ts';
import { Violation } from '../invariants/violation.ts';
import { type Selectable, select } from '../scenario/schema/selection.ts';
import type { Step } from '../scenario/schema/steps.ts';
import type { Randomness } from '../world/randomness.ts';
import { createRequests, type RequestOptions } from './requests.ts';
import { askUserDeposit, type UserDepositStep } from './user-deposit-steps.ts';

type Options = RequestOptions & {
  steps: readonly Step[];
  nodes: readonly Selectable[];
  randomness: Randomness;
  /** The present block as the scenario counts. */
  block(): number;
  pay(order: Extract<Step, { do: 'pay' }>, onEnd: (code: string | null) => void): void;
  /** The node pays its partners, to see whether it can. */
  tryChannels(index: number): void;
  /** A step did not end as the scenario expects. */
  onViolation(violation: Violation): void;
};
type InChannel = Extract<Step, { partner: number }>;
type OfNodes = Extract<Step, { nodes: unknown }>;

export function createSteps(options: Options) {
  const { steps, world, nodes, randomness, block, tryChannels, onViolation } = options;
  /** Channels that must be settled by a block. */
  const settling: { node: number; partner: number; byBlock: number }[] = [];
  const requests = createRequests(options);
  const { asked } = requests;
  const resuming: { atBlock: number; index: number }[] = [];

  const machineOf = (index: number) => world.inhabitants[index]?.machine;
  const nodeOf = (index: number) => machineOf(index)?.node() ?? null;
  const channelOf = ({ node, partner }: InChannel) =>
    nodeOf(node)?.channel(world.token, world.addressOf(partner)) ?? null;

  function failed(text: string) {
    onViolation(new Violation(27, null, text));
  }

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
      case 'await_settled': {
        const byBlock = Number(step.atBlock) + Number(step.within);
        settling.push({ node: step.node, partner: step.partner, byBlock });
      }
    }
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
    if (node === null) return;
    const { total } = world.chain.userDepositOf(world.addressOf(step.node));
    const answer = askUserDeposit(node, step, total);
    asked(step, answer, () => [{ ...step, total: total + step.amount }]);
  }

  /** Makes the partner's deposit, once there is a channel. */
  async function match<T>(step: Extract<Step, { do: 'open_channel' }>, opened: Result<T>) {
    const { node, partner, partnerDeposit } = step;
    if (opened.ok && partnerDeposit > 0n)
      await nodeOf(partner)?.deposit(world.token, world.addressOf(node), partnerDeposit);
  }

  function ofNodes(step: OfNodes, place: number) {
    for (const { index } of select(step.nodes, nodes, randomness.of(`step ${place}`))) {
      const machine = machineOf(index);
      if (step.do === 'leave') requests.leave(index);
      else if (step.do === 'try_channels') tryChannels(index);
      else if (step.do === 'stop') void machine?.stop();
      else if (step.do === 'start' && machine?.node() === null) machine.start();
      else if (step.do === 'kill') machine?.kill('killed');
      else if (step.do === 'pause') {
        machine?.pause();
        resuming.push({ atBlock: Number(step.atBlock) + Number(step.blocks), index });
      }
    }
  }

  function pay(step: Extract<Step, { do: 'pay' }>) {
    options.pay(step, (code) => {
      const isGood = step.expect === 'any' || (step.expect === 'success') === (code === null);
      if (!isGood)
        failed(
          `the payment of block ${step.atBlock} was to be a ${step.expect}: ${code ?? 'it arrived'}`,
        );
    });
  }

  function checkAwaited() {
    for (const one of settling.splice(0)) {
      const view = nodeOf(one.node)?.channel(world.token, world.addressOf(one.partner)) ?? null;
      if (view === null) continue;
      if (block() > one.byBlock)
        failed(`the channel of ${one.node} and ${one.partner} is not settled by ${one.byBlock}`);
      else settling.push(one);
    }
  }

  return {
    unanswered: requests.unanswered,
    /** The next block; `now` is its number as the scenario counts. */
    block(now: number) {
      checkAwaited();
      for (const { index } of resuming.filter(({ atBlock }) => atBlock === now))
        machineOf(index)?.resume();
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
