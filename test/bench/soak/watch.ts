/** Asks all machines all the time whether they are ready, and keeps what they said. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Look } from './books.ts';
import type { Machine, Node } from './machine.ts';

type Watched = Pick<Node, 'name' | 'machines'>;

export type Watch = ReturnType<typeof createWatch>;

const PAUSE_MS = 300;

export function createWatch(nodes: readonly Watched[], note: (line: string) => void) {
  const looks: Look[] = [];
  const ready = new Map<string, Machine>();
  const said = new Map<string, string>();
  let isOver = false;

  async function look({ name, machines }: Watched): Promise<void> {
    const running = machines.filter((one) => one.isRunning());
    const answers = await Promise.all(machines.map((one) => one.probe()));
    // One that ran before or after may have answered.
    const isAlive = (one: Machine) => running.includes(one) || one.isRunning();
    const found = machines.filter((_, at) => answers[at]?.isReady);
    const namesOf = (some: readonly Machine[]) => some.map((one) => one.name);
    looks.push({ node: name, ready: namesOf(found), running: namesOf(machines.filter(isAlive)) });
    for (const [at, one] of machines.entries()) {
      const text = answers[at]?.said ?? '';
      // Some tell how many seconds ago something was.
      const words = text.replaceAll(/\d+/g, '');
      if (said.get(one.name) !== words) note(`${one.name} /readyz: ${text}`);
      said.set(one.name, words);
    }
    const [first] = found;
    if (first === undefined) ready.delete(name);
    else ready.set(name, first);
  }

  async function watch(node: Watched): Promise<void> {
    while (!isOver) {
      await look(node);
      await delay(PAUSE_MS);
    }
  }
  const watching = Promise.all(nodes.map(watch));

  return {
    looks: () => looks,
    /** The machine on which the node is ready, as it said at the last look; null: on none. */
    readyOn: (name: string) => ready.get(name) ?? null,
    async stop(): Promise<void> {
      isOver = true;
      await watching;
    },
  };
}
