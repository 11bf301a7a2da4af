/** The file by which other programs learn that a devnet is ready, and what runs where. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { contractsObject } from '../http/shapes/serializers.ts';
import type { DevnetChain } from './chain/set-up-chain.ts';
import type { DevnetNode } from './network/nodes.ts';
import type { DevnetService } from './network/services.ts';
import type { Shop } from './shop.ts';

export type ReadyFile = ReturnType<typeof readyFile>;

/** The running parts; without services all but the nodes are null. */
export type Running = {
  nodes: readonly DevnetNode[];
  echo: DevnetNode | null;
  pathfinding: (DevnetService & { url: string }) | null;
  monitoring: DevnetService | null;
};

/** `nats`: null when the nodes talk over the bus of their process; `inspector`: URL of the page over all nodes; `paywall`: what sells calls, and its node; null: nothing does. */
export function readyFile(
  chain: DevnetChain,
  running: Running & { nats: string | null; inspector: string; paywall: Shop | null },
) {
  const { rpc, chainId, contracts, tokens, unregisteredTokens } = chain;
  const { nats, inspector, paywall, nodes, echo, pathfinding, monitoring } = running;
  return {
    chain: { rpc, chainId: Number(chainId) },
    nats,
    inspector,
    contracts: contractsObject(contracts),
    tokens,
    unregisteredTokens,
    pathfinding: pathfinding?.url ?? null,
    monitoring,
    paywall,
    echo: echo === null ? null : nodeFacts(echo),
    nodes: nodes.map(nodeFacts),
  };
}

function nodeFacts({ name, address, api, database, pid }: DevnetNode) {
  return { name, address, api, database, pid: pid() };
}

/**
 * Writes the file atomically, for this user alone, so that programs that wait for it can read it as soon as it exists.
 */
export function writeReadyFile(path: string, content: ReadyFile): void {
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  // `wx` follows no link: in a folder like `/tmp` somebody else may have put one here.
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(unfinished, path);
}
