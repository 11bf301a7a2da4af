/** Adds nodes to a devnet while it runs. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../basics/message-of.ts';
import { freePort } from '../../host/port.ts';
import { failure, good } from '../../http/answers/responses.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { giveMoney } from '../chain/set-up-chain.ts';
import { createAccount, nameOf } from './accounts.ts';
import type { Gates } from './gates.ts';
import { type DevnetNode, type NodesRequest, openOne } from './nodes.ts';
import { startOne } from './processes.ts';

export type MoreNodes = {
  /** The name of the node that is being started; null: none is. */
  coming(): string | null;
  /** Resolves when the node takes calls. Failures: `busy`, `above_limit`. */
  add(): Promise<Result<DevnetNode>>;
};

type Parts = {
  /** What the other nodes were started with. */
  request: NodesRequest;
  gates: Gates;
  /** All nodes that the page shows; they may grow. */
  nodes: readonly DevnetNode[];
  /** How many names are taken. */
  named: number;
  onAdded(node: DevnetNode): void;
};

/** Each node is a process, or a part of one, and a place in the drawing. */
export const MOST_NODES = 8;
const PATIENCE_MS = 90_000;

export function createMoreNodes({ nodes, named, onAdded, ...parts }: Parts): MoreNodes {
  let taken = named;
  let coming: string | null = null;

  async function start(name: string): Promise<Result<DevnetNode>> {
    try {
      const node = await startNamed(parts, name);
      onAdded(node);
      return good(node);
    } catch (error) {
      return failure('busy', `${name} does not start: ${messageOf(error)}`);
    } finally {
      coming = null;
    }
  }

  return {
    coming: () => coming,
    async add() {
      const refusal = growthRefusal(nodes.length, coming);
      if (refusal !== null) return refusal;
      // A name is never used twice: the folder of a node that did not start holds the key of another account.
      coming = nameOf(taken++);
      const late = `${coming} does not answer yet. It appears here as soon as it does.`;
      const waiting = new AbortController();
      const patience = delay(PATIENCE_MS, failure('busy', late), { signal: waiting.signal });
      try {
        return await Promise.race([start(coming), patience]);
      } finally {
        waiting.abort();
      }
    },
  };
}

/** Null: one more node may be added. `coming`: the name of the one that is being started. */
export function growthRefusal(count: number, coming: string | null): Failure | null {
  if (coming !== null) return failure('busy', `${coming} is being started: one at a time.`);
  if (count < MOST_NODES) return null;
  return failure('above_limit', `There are ${count} nodes: no more than ${MOST_NODES}.`);
}

async function startNamed(
  { request, gates }: Pick<Parts, 'request' | 'gates'>,
  name: string,
): Promise<DevnetNode> {
  const account = createAccount(name);
  const { address } = account.signer;
  await giveMoney(request.chain, address, { hasServices: request.hasMonitoring });
  await gates.open(name);
  request.names.push({ name, address });
  const { apiPort, program } = request.options;
  const port = await freePort(apiPort);
  const node =
    program === null
      ? await openOne(request, account, port)
      : await startOne(request, program, account, port);
  try {
    await node.ready();
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}
