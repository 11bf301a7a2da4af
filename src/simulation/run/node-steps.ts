/** What is done to whole nodes at blocks of a scenario, and whether it came of it what had to. */
import type { Machine } from '../node/machine.ts';
import type { Step } from '../scenario/schema/steps.ts';
import type { Judge, Judgements } from './judgements.ts';
import type { createRequests } from './requests.ts';

export type NodeStep = Extract<Step, { nodes: unknown }>;
export type NodeStepOptions = {
  judgements: Pick<Judgements, 'expects'>;
  leave: ReturnType<typeof createRequests>['leave'];
  /** The node pays its partners, to see whether it can. */
  tryChannels(index: number, terms: { ifQuiet: boolean; judge: Judge }): void;
};

export function createNodeSteps({ judgements, leave, tryChannels }: NodeStepOptions) {
  const resuming: { atBlock: number; machine: Machine }[] = [];
  /** Processes that must end, or become ready. */
  const beginning: { isDone(): boolean; judge: Judge }[] = [];

  /** A process that dies meanwhile has ended, too. */
  function stop(machine: Machine, judge: Judge) {
    const process = machine.node();
    beginning.push({ judge, isDone: () => process === null || machine.node() !== process });
    machine.stop().catch((error) => judge(`failed: ${String(error)}`));
  }

  /** A process that dies meanwhile was started, too. */
  function start(machine: Machine, judge: Judge) {
    if (!machine.isUp()) machine.start();
    const process = machine.node();
    const isReady = () => process?.status().status === 'ready';
    beginning.push({ judge, isDone: () => machine.node() !== process || isReady() });
  }

  /** Judges what has come to its end. */
  function check() {
    for (const one of beginning.splice(0)) {
      if (one.isDone()) one.judge(null);
      else beginning.push(one);
    }
  }

  return {
    check,
    /** One of the step's nodes, with its index. */
    act(step: NodeStep, index: number, machine: Machine) {
      const judged = () =>
        judgements.expects(`${step.do} of ${machine.name} in block ${step.atBlock}`);
      switch (step.do) {
        case 'leave':
          return leave(index, step);
        case 'try_channels':
          return tryChannels(index, { ifQuiet: step.ifQuiet, judge: judged() });
        case 'stop':
          return stop(machine, judged());
        case 'start':
          return start(machine, judged());
        case 'kill':
          return machine.kill('killed');
        case 'pause':
          machine.pause();
          resuming.push({ atBlock: Number(step.atBlock + step.blocks), machine });
      }
    },
    /** The next block; `now` is its number as the scenario counts. */
    block(now: number) {
      check();
      for (const { machine } of resuming.filter(({ atBlock }) => atBlock === now)) machine.resume();
    },
  };
}
