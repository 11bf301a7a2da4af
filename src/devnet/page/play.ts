/**
 * What a person may do to a running devnet: add nodes, end them and start them again, cut them off from the broker, make
 * blocks.
 */
import { messageOf } from '../../basics/message-of.ts';
import { failure, good } from '../../http/answers/responses.ts';
import type { NodeLog, PlayDeed, PlayNode, PlayView } from '../../inspector/devnet-wire.ts';
import type { Result } from '../../protocol/codes.ts';
import type { Gate } from '../network/gate.ts';
import { MOST_NODES, type MoreNodes } from '../network/more-nodes.ts';
import type { DevnetNode } from '../network/nodes.ts';
import type { NodeLogs } from './logs.ts';

export type Play = {
  view(): PlayView;
  /** URL of the node's API without a path; null: there is no such node. */
  apiOf(name: string): string | null;
  /** What the node has logged after the line of this number; null: there is no such node. */
  logOf(name: string, after: number): NodeLog | null;
  /** Resolves when the deed is done. Failures: `busy`, `invalid_shape`. */
  act(name: string, deed: PlayDeed): Promise<Result<PlayNode>>;
  /** Starts one more node. Failures: `busy`, `above_limit`. */
  add(): Promise<Result<PlayNode>>;
  /** The network as a file. Failures: `busy`, when a node does not answer. */
  save(): Promise<Result<unknown>>;
  /** Adds the nodes that are missing and opens the channels of the file. Failures: `invalid_shape`, `busy`, `above_limit`. */
  load(text: string): Promise<Result<{ channels: number }>>;
  /** Makes 1 to `MOST_BLOCKS` blocks. Failures: `invalid_shape`, `chain_unavailable`. */
  mine(blocks: number): Promise<Result<{ mined: number }>>;
  /** From now on makes 0 to `MOST_PACE` blocks a second besides those of the chain. Failure: `invalid_shape`. */
  pace(perSecond: number): Result<{ pace: number }>;
};

/** Tells the network as a file, and makes one. `message`: why a text is none; `make` answers what is missing; null: nothing. */
export type NetworkKeeper = {
  blockSeconds: number;
  save(): Promise<unknown>;
  read(
    text: string,
  ):
    | { ok: true; names: readonly string[]; channels: number; make(): Promise<string | null> }
    | { ok: false; message: string };
};

type Parts = {
  /** They may grow. */
  nodes: readonly DevnetNode[];
  /** URL of the chain. */
  rpc: string;
  keeper: NetworkKeeper;
  /** The gates by the nodes' names; empty: no node can be cut off. */
  gates: ReadonlyMap<string, Gate>;
  logs: NodeLogs;
  /** What has a log besides the nodes. */
  others: readonly string[];
  more: MoreNodes;
};

export const DEEDS: readonly PlayDeed[] = ['stop', 'kill', 'start', 'disconnect', 'connect'];
const MOST_BLOCKS = 1_000;
/** Nodes follow so many blocks a second on a small machine. */
const MOST_PACE = 10;

export function createPlay(parts: Parts): Play {
  const { nodes, rpc, keeper, gates, logs, others, more } = parts;
  /** The deed in progress for each node. */
  const busy = new Map<string, PlayDeed>();

  const shown = (node: DevnetNode): PlayNode => {
    const { name, address, api, process } = node;
    const gate = gates.get(name);
    return {
      name,
      address,
      api,
      pid: node.pid(),
      isRunning: node.isRunning(),
      busy: busy.get(name) ?? null,
      canKill: process !== null,
      isConnected: gate === undefined ? null : gate.isOpen(),
    };
  };
  let pace = 0;
  let pacing: ReturnType<typeof setInterval> | null = null;
  const nodeOf = (name: string) => nodes.find((node) => node.name === name);
  const logged = () => [...nodes.map(({ name }) => name), ...others];

  return {
    view: () => ({
      rpc,
      blockSeconds: 1 / (1 / keeper.blockSeconds + pace),
      pace,
      nodes: nodes.map(shown),
      coming: more.coming(),
      mostNodes: MOST_NODES,
      logs: logged(),
    }),
    async add() {
      const added = await more.add();
      return added.ok ? good(shown(added.value)) : added;
    },
    apiOf: (name) => nodeOf(name)?.api ?? null,
    logOf: (name, after) => (logged().includes(name) ? logs.after(name, after) : null),
    async act(name, deed) {
      const node = nodeOf(name);
      if (node === undefined) return failure('unknown_endpoint', `There is no node ${name}.`);
      const running = busy.get(name);
      // Two deeds at a time could start a process twice on one database.
      if (running !== undefined) return failure('busy', `${name}: ${running} is being done.`);
      const how = howTo(deed, node, gates.get(name));
      if (typeof how === 'string') return failure('invalid_shape', how);
      busy.set(name, deed);
      try {
        await how();
        busy.delete(name);
        return good(shown(node));
      } catch (error) {
        return failure('busy', `${name} does not ${deed}: ${messageOf(error)}`);
      } finally {
        busy.delete(name);
      }
    },
    async save() {
      try {
        return good(await keeper.save());
      } catch {
        return failure('busy', 'A node does not answer: start it first.');
      }
    },
    async load(text) {
      const file = keeper.read(text);
      if (!file.ok) return failure('invalid_shape', `The file is no network: ${file.message}.`);
      while (file.names.some((name) => nodeOf(name) === undefined)) {
        const added = await more.add();
        if (!added.ok) return added;
      }
      const problem = await file.make();
      if (problem !== null) return failure('busy', `Not all of the network is there: ${problem}.`);
      return good({ channels: file.channels });
    },
    async mine(blocks) {
      if (!Number.isInteger(blocks) || blocks < 1 || blocks > MOST_BLOCKS)
        return failure('invalid_shape', `Give a number of blocks from 1 to ${MOST_BLOCKS}.`);
      const mined = await mineBlocks(rpc, blocks);
      return mined ? good({ mined: blocks }) : failure('chain_unavailable');
    },
    pace(perSecond) {
      if (!Number.isInteger(perSecond) || perSecond < 0 || perSecond > MOST_PACE)
        return failure('invalid_shape', `Give a number of blocks from 0 to ${MOST_PACE}.`);
      if (pacing !== null) clearInterval(pacing);
      pace = perSecond;
      const make = () => void mineBlocks(rpc, 1);
      pacing = pace === 0 ? null : setInterval(make, 1_000 / pace).unref();
      return good({ pace });
    },
  };
}

/**
 * The function that does the deed, or a text that says why it cannot be done. A deed whose result is there already does
 * nothing.
 */
function howTo(
  deed: PlayDeed,
  node: DevnetNode,
  gate: Gate | undefined,
): string | (() => Promise<void>) {
  switch (deed) {
    case 'stop':
      return node.stop;
    case 'start':
      return node.start;
    case 'kill':
      return (
        node.process?.kill ??
        'All nodes run in one process: start the devnet with --processes to kill one of them.'
      );
    case 'disconnect':
    case 'connect':
      if (gate === undefined)
        return 'Only a devnet with a nats-server of its own can cut a node off: install nats-server and leave --nats out.';
      return async () => (deed === 'connect' ? gate.open() : gate.shut());
  }
}

async function mineBlocks(rpc: string, blocks: number): Promise<boolean> {
  const params = [`0x${blocks.toString(16)}`];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params });
  const headers = { 'content-type': 'application/json' };
  try {
    return (await fetch(rpc, { method: 'POST', headers, body })).ok;
  } catch {
    return false;
  }
}
