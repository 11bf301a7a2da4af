/** What the owners of nodes ask of them, until they are answered. */
import type { RunningNode } from '../../node/start.ts';
import type { Result } from '../../protocol/codes.ts';
import { encode } from '../../store/base/codec.ts';
import type { Done } from '../invariants/records/promises.ts';
import type { World } from './world.ts';

export type RequestOptions = {
  world: World;
  /** `answer`: what the trace gets of it. */
  note(who: string, text: string, answer?: string): void;
  /** The node says that its owner's wish has come true. */
  onDone(index: number, done: Done): void;
};

export function createRequests({ world, note, onDone }: RequestOptions) {
  /** Requests that a process has not answered, with the name of its node. */
  const open = new Set<{ name: string; what: string; process: RunningNode }>();
  const machineOf = (index: number) => world.inhabitants[index]?.machine;
  const nodeOf = (index: number) => machineOf(index)?.node() ?? null;

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

  return {
    /** Waits for a node's answer to an owner's request. `done`: what is then so. */
    asked<T>(
      { node, ...step }: { node: number; do: string },
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
    },
    leave(index: number) {
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
    },
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
  };
}
