/** What the owners of nodes ask of them, until they are answered. */
import type { RunningNode } from '../../node/start.ts';
import type { Result } from '../../protocol/codes.ts';
import { encode } from '../../store/base/codec.ts';
import type { Done } from '../invariants/records/promises.ts';
import type { Request } from '../invariants/records/refusals.ts';
import type { Step } from '../scenario/schema/steps.ts';
import type { Judgements } from './judgements.ts';
import type { World } from './world.ts';

export type RequestOptions = {
  world: World;
  /** `answer`: what the trace gets of it. */
  note(who: string, text: string, answer?: string): void;
  /** An owner asks his node. The returned function takes the code of the answer; null: it is done. */
  onAsked(index: number, request: Request): (code: string | null) => void;
  /** The node says that its owner's wish has come true. */
  onDone(index: number, done: Done): void;
  judgements: Pick<Judgements, 'expectsAnswer'>;
};
type Wish = Extract<Step, { expect: unknown }>;
const DOWN = 'node_down';

export function createRequests({ world, note, onAsked, onDone, judgements }: RequestOptions) {
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

  /**
   * Waits for a node's answer to an owner's request; undefined: the node is down, and never answers. `done`: what is so
   * when the answer is good.
   */
  function answered<T>(
    index: number,
    step: Wish,
    answer: Promise<Result<T>> | undefined,
    done: (value: T) => readonly Done[],
  ) {
    const { do: what, expect, atBlock } = step;
    const name = machineOf(index)?.name ?? '';
    const end = judgements.expectsAnswer(`${what} of ${name} in block ${atBlock}`, expect);
    if (answer === undefined) return end(DOWN);
    const judge = expect === 'failure' ? () => {} : onAsked(index, requestOf(world, step));
    awaited(index, what, answer).then(
      (result) => {
        const text = result.ok ? 'is done' : `is refused: ${result.code}`;
        note(name, `${what} ${text}`, encode(result));
        if (result.ok) for (const one of done(result.value)) onDone(index, one);
        judge(result.ok ? null : result.code);
        end(result.ok ? null : result.code);
      },
      (error) => {
        // The node met a fault, which is reported where it happened.
        note(name, `${what} fails: ${String(error)}`);
        end(String(error));
      },
    );
  }

  return {
    answered,
    leave(index: number, step: Wish) {
      const node = nodeOf(index);
      const all = node?.channels({ token: world.token }) ?? [];
      const open = all.filter(({ state }) => state === 'opened');
      answered(index, step, node?.leave(world.token), (left) => [{ do: 'leave', open, left }]);
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

function requestOf(world: World, step: Wish): Request {
  const partner = 'partner' in step ? world.addressOf(step.partner) : null;
  const amount = 'amount' in step ? step.amount : 'deposit' in step ? step.deposit : 0n;
  return { do: step.do, partner, amount };
}
