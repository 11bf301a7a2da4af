/** A machine on which a node runs, is killed and started again; and a node, which has one machine or two. */
import { setTimeout as delay } from 'node:timers/promises';
import { FAULT_POINTS } from '../../../src/basics/fault.ts';
import type { Address } from '../../../src/basics/hex.ts';
import type { Draw } from '../../../src/simulation/world/randomness.ts';
import type { NodeProcess, StartOptions, World } from '../../support/processes.ts';
import type { Contradiction } from './books.ts';

export type Machine = ReturnType<typeof createMachine>;
export type Node = {
  name: string;
  address: Address;
  machines: readonly Machine[];
  /** Where callers find the node, whichever of its machines it runs on. */
  url(): string;
};
export type Probed = { isReady: boolean; said: string };

/** How long a machine waits for the point at which it was told to die. */
const DEATH_MS = 8_000;
const PROBE_MS = 2_000;
/** The exit code of a node whose place another one has taken. */
const FENCED = 4;

type Parts = {
  world: World;
  name: string;
  /** Of `sluice node`, at each start. */
  start: StartOptions;
  contradict(one: Contradiction): void;
  note(line: string): void;
};

export function createMachine({ world, name, start, contradict, note }: Parts) {
  let process: NodeProcess | null = null;
  let begun = 0;
  let url = '';
  let isCondemned = false;

  function noteEnd({ wanted, code, text }: Awaited<NodeProcess['ended']>): void {
    note(`${name} ${text}${wanted ? ' as it was told to' : ''}`);
    process = null;
    const isFenced = code === FENCED && name.startsWith('hub');
    if (wanted || isCondemned || isFenced) return;
    contradict({ what: `${name} ${text}, and nobody told it to`, parties: [name] });
  }

  async function kill(): Promise<void> {
    isCondemned = true;
    await process?.kill();
  }

  return {
    name,
    isRunning: () => process !== null,
    /** Milliseconds since 1970 at which its process began. */
    begun: () => begun,
    /** `more`: options of this start alone. */
    async start(more: NonNullable<StartOptions['options']> = {}): Promise<void> {
      isCondemned = false;
      begun = Date.now();
      note(`${name} starts ${Object.keys(more).join()}`);
      const options = { ...start.options, ...more };
      const begins = await world.launch(name, { ...start, options, isRefused: true });
      process = begins;
      url = begins.api.url;
      void begins.ended.then(noteEnd);
    },
    kill,
    /** Kills it at the next turn of its work that passes the drawn point; otherwise after a while. */
    async killAtPoint(draw: Draw): Promise<string> {
      const point = draw.pick(FAULT_POINTS);
      const condemned = process;
      isCondemned = true;
      condemned?.dieAt(`${point}:${draw.integer(1, 3)}`);
      const end = performance.now() + DEATH_MS;
      while (condemned?.isOver() === false && performance.now() < end) await delay(20);
      if (condemned?.isOver() === true) return point;
      await kill();
      condemned?.spare();
      return 'no point';
    },
    /** SIGTERM; resolves when it has ended. */
    stop: async () => process?.stop(),
    /** What `/readyz` says. */
    async probe(): Promise<Probed> {
      const signal = AbortSignal.timeout(PROBE_MS);
      try {
        const answer = await fetch(`${url}/readyz`, { signal });
        return { isReady: answer.status === 200, said: (await answer.text()).trim().slice(0, 200) };
      } catch {
        return { isReady: false, said: 'no answer' };
      }
    },
    /** Of its API, once it was started. */
    url: () => url,
  };
}
