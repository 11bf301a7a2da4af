/** What other programs learn of a devnet that is ready. */
import { renameSync, writeFileSync } from 'node:fs';
import { contractsObject } from '../http/views.ts';
import type { DevnetNode } from './nodes.ts';
import type { DevnetChain } from './set-up-chain.ts';

export type ReadyFile = ReturnType<typeof readyFile>;

type Running = {
  /** Null when the nodes talk over the bus of their process. */
  nats: string | null;
  nodes: readonly DevnetNode[];
  /** Null without services. */
  echo: DevnetNode | null;
};

export function readyFile(chain: DevnetChain, { nats, nodes, echo }: Running) {
  const { rpc, chainId, contracts, tokens, unregisteredTokens } = chain;
  // There is no path-finding service on a devnet yet.
  const pathfinding: string | null = null;
  return {
    chain: { rpc, chainId: Number(chainId) },
    nats,
    contracts: contractsObject(contracts),
    tokens,
    unregisteredTokens,
    pathfinding,
    echo: echo === null ? null : nodeFacts(echo),
    nodes: nodes.map(nodeFacts),
  };
}

function nodeFacts({ name, address, api, database, pid }: DevnetNode) {
  return { name, address, api, database, pid };
}

/** Whole or not at all, so that whoever waits for the file can read it as soon as it is there. */
export function writeReadyFile(path: string, content: ReadyFile): void {
  const unfinished = `${path}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(unfinished, path);
}
