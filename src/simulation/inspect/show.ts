/** A simulation opened with the inspector: its nodes, their tokens, and its time. */

import type { Address } from '../../basics/hex.ts';
import { inspectorAsset, inspectorPage } from '../../http/inspector.ts';
import type { TimeView } from '../../inspector/devnet-wire.ts';
import { createInspector, type NodeInspector } from '../../inspector/inspector.ts';
import { readCommand } from './commands.ts';
import type { Cast, Committed, Subject } from './messages.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { createTimeline } from './timeline.ts';

type Request = { method: string; headers: Record<string, string>; signal: AbortSignal };
export type Show = {
  title: string;
  nodes: {
    name: string;
    address: Address;
    ask(path: string, request: Request): Promise<Response>;
  }[];
  tokens: { address: Address; symbol: string; decimals: number }[];
  time: { view(): TimeView; command(text: string): Promise<TimeView> | null };
  end(): Promise<void>;
};
type Watched = { mirror: Mirror; inspector: NodeInspector };

/** Steps of journals that are kept: of all nodes together, and of one node at least and at most. */
const STEPS = { all: 400_000, least: 500, most: 20_000 };

/** `at`: the step to begin at. Rejects when the program itself fails before the run begins. */
export async function openShow(subject: Subject, at: number): Promise<Show> {
  let watched: Watched[] = [];

  function onCast(given: Cast) {
    // The inspectors of the previous run end their streams, so that readers reconnect to the new run.
    for (const { inspector } of watched) void inspector.end();
    const share = Math.floor(STEPS.all / given.nodes.length);
    const steps = Math.max(STEPS.least, Math.min(STEPS.most, share));
    watched = given.nodes.map((node) => {
      const mirror = createMirror(given, node, steps);
      const labels = async () => ({
        tokens: [given.token],
        names: given.nodes.map(({ name, address }) => ({ name, address })),
      });
      const blockSeconds = async () => given.blockMs / 1_000;
      const { inspection } = mirror;
      return { mirror, inspector: createInspector({ inspection, labels, blockSeconds }) };
    });
  }

  function onCommits(commits: readonly Committed[]) {
    for (const { index, batch } of commits) watched[index]?.mirror.take(batch);
  }

  async function ask(index: number, path: string, request: Request): Promise<Response> {
    if (path === '') return inspectorPage();
    if (path.startsWith('assets/')) return inspectorAsset(path.slice('assets/'.length));
    const { method, headers } = request;
    // A signal for each node: each stream adds listeners, and a reader of all nodes would share one signal for all.
    const signal = AbortSignal.any([request.signal]);
    const inspector = watched[index]?.inspector;
    if (inspector === undefined) throw new Error(`simulation: there is no node ${index}`);
    const url = `http://simulation/inspector/${path}`;
    return inspector.handle(new globalThis.Request(url, { method, headers }), signal);
  }

  const timeline = createTimeline({ subject, at, onCast, onCommits });
  const { nodes, token, title } = await timeline.begun;
  return {
    title,
    nodes: nodes.map(({ name, address }, index) => {
      return { name, address, ask: (path, request) => ask(index, path, request) };
    }),
    tokens: [token],
    time: {
      view: timeline.view,
      command(text) {
        const command = readCommand(text);
        return command === null ? null : timeline.command(command);
      },
    },
    async end() {
      await timeline.end();
      await Promise.all(watched.map(({ inspector }) => inspector.end()));
    },
  };
}
