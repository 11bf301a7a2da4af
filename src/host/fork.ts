/** What a node does at its start when the chain has replaced blocks that the node has followed. */
import { createHash } from 'node:crypto';
import type { Log } from '../basics/environment.ts';
import type { ChainClient } from '../chain/client.ts';
import { describe } from '../chain/describe.ts';
import { findForkPoint } from '../chain/watch/fork-point.ts';
import { rewindStore } from '../node/runtime/actors/rewind.ts';
import type { NodeSettings, SafeMode } from '../node/runtime/parts.ts';
import type { Store } from '../store/store.ts';
import type { Fork } from '../store/tables/trail.ts';
import { systemClock } from './base/system.ts';
import type { NodeConfig } from './node-config.ts';

type Followed = {
  log: Log;
  client: ChainClient;
  settings: Pick<NodeSettings, 'deployBlock'>;
  store: Store;
};

/**
 * Null when the node may work. Otherwise the database was rewound to the fork, now or at an earlier start, and the
 * operator has not accepted the new chain by its code.
 */
export async function meetFork(
  { log, client }: Pick<Followed, 'log' | 'client'>,
  settings: Followed['settings'],
  store: Store,
  { acceptedChain = null }: Pick<NodeConfig, 'acceptedChain'>,
): Promise<SafeMode | null> {
  await rewind({ log, client, settings, store });
  const fork = store.fork();
  if (fork === null) return null;
  const code = codeOf(fork);
  if (acceptedChain === code) {
    store.acceptFork();
    log.warn({ block: fork.block }, 'the new chain was accepted: the node works on it');
    return null;
  }
  const reason = reasonOf(fork, code);
  log.error({ block: fork.block, code }, reason);
  return { reason };
}

/** Rewinds the database to the fork, if the chain was replaced. */
export async function rewind({ log, client, settings, store }: Followed): Promise<void> {
  try {
    const found = await findForkPoint(client, store.trail(), settings.deployBlock);
    if (found === null) return;
    const channels = rewindStore(store, found, systemClock.now());
    const text =
      'blocks that counted as confirmed were replaced: the chain is read again from there';
    log.error({ block: found.block, lostBlock: found.lostBlock, channels: channels.length }, text);
  } catch (error) {
    // The follower will find the fork, too, as soon as the endpoint answers.
    log.warn({ error: describe(error) }, 'the chain could not be compared with what was followed');
  }
}

/** The code by which the operator accepts this fork and no other. */
function codeOf({ block, hash, lostBlock, lostHash, foundHash }: Fork): string {
  const facts = [block.toString(), hash, lostBlock.toString(), lostHash, foundHash];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
}

function reasonOf({ block, lostBlock }: Fork, code: string): string {
  return (
    `The chain replaced the blocks from ${block + 1n} to ${lostBlock}, which counted as confirmed. Deadlines ` +
    'are kept, and nothing else is done. Make sure that the endpoint is on the right chain, then start once ' +
    `with "--accept-chain ${code}": channels of which the chain has lost something can then only be closed.`
  );
}
