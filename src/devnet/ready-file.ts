/** What other programs learn of a devnet that is ready. */
import { renameSync, writeFileSync } from 'node:fs';
import { contractsObject } from '../http/views.ts';
import type { DevnetNode } from './nodes.ts';
import type { DevnetChain } from './set-up-chain.ts';

export type ReadyFile = ReturnType<typeof readyFile>;

/** `nats`: null when the nodes talk over the bus of their process. */
export function readyFile(chain: DevnetChain, nats: string | null, nodes: readonly DevnetNode[]) {
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
    nodes: nodes.map(({ name, address, api, database, pid }) => {
      return { name, address, api, database, pid };
    }),
  };
}

/** Whole or not at all, so that whoever waits for the file can read it as soon as it is there. */
export function writeReadyFile(path: string, content: ReadyFile): void {
  const unfinished = `${path}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(unfinished, path);
}
