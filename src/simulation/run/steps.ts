/** Carries out the steps of a scenario, as the owners of its nodes would. */
import type { ChannelView } from '../../node/runtime/actors/channel-states.ts';
import type { RunningNode } from '../../node/start.ts';
import type { Result } from '../../protocol/codes.ts';
import { encode } from '../../store/base/codec.ts';
import type { ChannelWish, Done } from '../invariants/records/promises.ts';
import { Violation } from '../invariants/violation.ts';
import { type Selectable, select } from '../scenario/schema/selection.ts';
import type { Step } from '../scenario/schema/steps.ts';
import type { Randomness } from '../world/randomness.ts';
import { askUserDeposit, type UserDepositStep } from './user-deposit-steps.ts';
import type { World } from './world.ts';

type Options = {
  steps: readonly Step[];
  world: World;
  nodes: readonly Selectable[];
  randomness: Randomness;
  /** The present block as the scenario counts. */
  block(): number;
  pay(order: Extract<Step, { do: 'pay' }>, onEnd: (code: string | null) => void): void;
  /** `answer`: what the trace gets of it. */
  note(who: string, text: string, answer?: string): void;
  /** The node pays its partners, to see whether it can. */
  tryChannels(index: number): void;
  /** The node says that its owner's wish has come true. */
  onDone(index: number, done: Done): void;
  /** A step did not end as the scenario expects. */
  onViolation(violation: Violation): void;
};
type InChannel = Extract<Step, { partner: number }>;
type OfNodes = Extract<Step, { nodes: unknown }>;

export function createSteps({ steps, world, nodes, ...options }: Options) {
  const { randomness, block, note, tryChannels, onDone, onViolation } = options;
  /** Channels that must be settled by a block. */
  const settling: { node: number; partner: number; byBlock: number }[] = [];
  /** Requests that a process has not answered, with the name of its node. */
  const open = new Set<{ name: string; what: string; process: RunningNode }>();
  const resuming: { atBlock: number; index: number }[] = [];

  const machineOf = (index: number) => world.inhabitants[index]?.machine;
  const nodeOf = (index: number) => machineOf(index)?.node() ?? null;
  const channelOf = ({ node, partner }: InChannel) =>
    nodeOf(node)?.channel(world.token, world.addressOf(partner)) ?? null;

  function failed(text: string) {
    onViolation(new Violation(27, null, text));
  }

  /** Waits for a node's answer to an owner's request. `done`: what is then so. */
  function asked<T>(
    { node, ...step }: Pick<Exclude<Step, OfNodes>, 'node' | 'do'>,
    answer: Promise<Result<T>> | undefined,
    done: (value: T) => readonly Done[],
  ) {
    if (answer === undefined) return;
    const name = machineOf(node)?.name ?? '';
    awaited(node, step.do, answer).then(
      (result) => {
        const text = result.ok ? 'is done' : `is refused: ${result.code}`;
        note(name, `${step.do} ${text}`, encode(result));
        if (result.ok) for (const one of done(result.value)) onDone(node, one);
      },
      // The node met a fault, which is reported where it happened.
      (error) => note(name, `${step.do} fails: ${String(error)}`),
    );
  }

  /** The answer; until it arrives, the request counts as open. */
  async function awaited<T>(index: number, what: string, answer: Promise<T>): Promise<T> {
    const [name, process] = [machineOf(index)?.name ?? '', nodeOf(index)];
    if (process === null) return answer;
    const one = { name, what, process };
    open.add(one);
    try {
      return await answer;
    } finally {
      open.delete(one);
    }
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
      if (step.do === 'leave') leave(index);
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

  function leave(index: number) {
    const name = machineOf(index)?.name ?? '';
    const answer = nodeOf(index)?.leave(world.token);
    if (answer !== undefined)
      awaited(index, 'leave', answer).then(
        (result) => {
          note(name, 'has left');
          if (!result.ok) return;
          for (const channel of result.value) onDone(index, { do: 'leave', channel });
        },
        (error) => note(name, `cannot leave: ${String(error)}`),
      );
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
    /**
     * A request that was never answered, in words; null: there is none. `isHeld`: whether a node must answer its
     * requests.
     */
    unanswered(isHeld: (index: number) => boolean): string | null {
      for (const { name, what, process } of open) {
        const asked = world.inhabitants.find(({ machine }) => machine.name === name);
        const isOwed = asked !== undefined && isHeld(asked.index);
        if (isOwed && asked.machine.node() === process) return `${name} never answers ${what}`;
      }
      return null;
    },
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
