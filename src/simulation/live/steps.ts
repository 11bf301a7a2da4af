/** Carries out the steps of a scenario on real nodes, over their own API. */

import { type Selectable, select } from '../scenario/schema/selection.ts';
import { type Expected, isExpected, type Step } from '../scenario/schema/steps.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Calls } from './calls.ts';
import type { LiveNode } from './network.ts';
import type { Processes } from './processes.ts';

type Options = {
  steps: readonly Step[];
  nodes: readonly Selectable[];
  live: readonly LiveNode[];
  randomness: Randomness;
  calls: Calls;
  processes: Processes;
  pay(order: Extract<Step, { do: 'pay' }>, onEnd: (code: string | null) => void): void;
  /** A step did not end as the scenario expects. */
  onFailure(text: string): void;
};
type InChannel = Extract<Step, { partner: number }>;
type OfNodes = Extract<Step, { nodes: unknown }>;

export function createLiveSteps({ steps, nodes, live, calls, processes, ...options }: Options) {
  const { randomness, onFailure } = options;
  const resuming: { atBlock: number; index: number }[] = [];
  const awaited: { step: InChannel; byBlock: number }[] = [];

  /** Of real nodes, a step that is to end in any way has to be done. */
  function told(what: string, why: string | null, expected: Expected = 'any') {
    if (!isExpected(expected === 'any' ? 'success' : expected, why))
      onFailure(`${what}: ${why ?? 'it was done'}`);
  }

  async function channelOf(node: LiveNode, partner: LiveNode) {
    const all = await calls.channels(node);
    return all?.find((channel) => channel.partner_address === partner.address) ?? null;
  }

  async function inChannel(step: InChannel): Promise<void> {
    const [node, partner] = [live[step.node], live[step.partner]];
    if (node === undefined || partner === undefined) return;
    const what = `${step.do} of ${node.name} with ${partner.name}`;
    switch (step.do) {
      case 'open_channel':
        told(what, await calls.open(node, partner, step.deposit, step.settleTimeout), step.expect);
        if (step.partnerDeposit > 0n)
          told(what, await calls.deposit(partner, node, step.partnerDeposit));
        return;
      case 'deposit': {
        const total = BigInt((await channelOf(node, partner))?.total_deposit ?? 0);
        return told(what, await calls.deposit(node, partner, total + step.amount), step.expect);
      }
      case 'withdraw': {
        const total = BigInt((await channelOf(node, partner))?.total_withdraw ?? 0);
        return told(what, await calls.withdraw(node, partner, total + step.amount), step.expect);
      }
      case 'close':
        return told(what, await calls.close(node, partner), step.expect);
      case 'await_settled':
        awaited.push({ step, byBlock: Number(step.atBlock) + Number(step.within) });
    }
  }

  function ofNodes(step: OfNodes, place: number) {
    for (const { index } of select(step.nodes, nodes, randomness.of(`step ${place}`))) {
      const node = live[index];
      if (node === undefined) continue;
      if (step.do === 'leave')
        void calls.leave(node).then((why) => told(`leave of ${node.name}`, why, step.expect));
      else if (step.do === 'stop') processes.stop(index);
      else if (step.do === 'start') processes.start(index);
      else if (step.do === 'kill') processes.kill(index);
      else if (step.do === 'pause') {
        processes.pause(index);
        resuming.push({ atBlock: Number(step.atBlock) + Number(step.blocks), index });
      }
    }
  }

  function pay(step: Extract<Step, { do: 'pay' }>) {
    options.pay(step, (code) => {
      if (!isExpected(step.expect, code))
        onFailure(`the payment of block ${step.atBlock}: ${code ?? 'it arrived'}`);
    });
  }

  async function checkSettled({ step }: (typeof awaited)[number]): Promise<void> {
    const [node, partner] = [live[step.node], live[step.partner]];
    if (node === undefined || partner === undefined) return;
    const channel = await channelOf(node, partner);
    if (channel !== null && channel.state !== 'settled')
      onFailure(`the channel of ${node.name} and ${partner.name} is not settled in time`);
  }

  return {
    /** The next block; `now` is its number as the scenario counts. */
    block(now: number) {
      for (const one of awaited.filter(({ byBlock }) => byBlock === now)) void checkSettled(one);
      for (const { index } of resuming.filter(({ atBlock }) => atBlock === now))
        processes.resume(index);
      for (const [place, step] of steps.entries()) {
        if (Number(step.atBlock) !== now) continue;
        if (step.do === 'pay') pay(step);
        else if ('partner' in step) void inChannel(step);
        else if ('nodes' in step) ofNodes(step, place);
      }
    },
  };
}
