/**
 * Reads the secrets that were registered on chain before this database recorded them: versions that mediated no
 * transfers did not record them. The log of a secret comes only once; a node that mediated a transfer locked with an
 * old secret would pay the payee on chain and never learn that it can claim the payer's lock.
 */
import { getAbiItem, toEventSelector } from 'viem';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { secretRegistryAbi } from '../../chain/abi.ts';
import { breathe } from '../../chain/breather.ts';
import type { ChainClient } from '../../chain/client.ts';
import { createPastLogs } from '../../chain/past-logs.ts';
import { createPause } from '../../chain/pause.ts';
import type { Log } from '../../protocol/environment.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Batch } from '../../store/batch.ts';
import type { Store } from '../../store/store.ts';
import { noteRegistered } from '../runtime/secrethashes.ts';

const RETRY_MS = 1_000;
/** Secrets in one commit. */
const SECRETS_AT_ONCE = 100;
const REVEALED = toEventSelector(getAbiItem({ abi: secretRegistryAbi, name: 'SecretRevealed' }));

type Options = {
  client: ChainClient;
  secretRegistry: Address;
  deployBlock: bigint;
  store: Pick<Store, 'areSecretsRead' | 'noteSecretsRead'>;
  log: Log;
  /** The batch is on disk when it returns; false: the node is broken and writes nothing any more. */
  commit(fill: (batch: Batch) => void): boolean;
};

export function createPublicSecrets(options: Options) {
  const { client, secretRegistry: address, deployBlock, store, log, commit } = options;
  const pause = createPause();
  let isEnded = false;
  let isKnown = store.areSecretsRead();

  function know() {
    store.noteSecretsRead();
    isKnown = true;
  }

  /** Anybody can register any number of secrets, so they are written a few at a time, while others have their turn. */
  async function write(logs: readonly ChainLog[]) {
    for (let first = 0; first < logs.length && !isEnded; first += SECRETS_AT_ONCE) {
      const isOnDisk = commit((batch) => {
        for (const one of logs.slice(first, first + SECRETS_AT_ONCE)) noteRegistered(batch, one);
      });
      if (!isOnDisk) isEnded = true;
      await breathe();
    }
  }

  async function read(lastBlock: bigint) {
    const past = createPastLogs({
      client,
      topics: [REVEALED],
      fromBlock: deployBlock,
      mustBeWhole: true,
      contract: { kind: 'secretRegistry', address },
      onLogs: write,
    });
    for (;;) {
      const read = await past.readTo(lastBlock);
      if (isEnded) return;
      if (read.ok) break;
      log.warn({ detail: read.detail }, 'the registered secrets cannot be read');
      await pause.wait(RETRY_MS);
    }
    if (!isEnded) know();
  }

  return {
    /** False: no message of a partner may be taken yet. */
    areKnown: (): boolean => isKnown,
    /** `lastBlock`: the last block that this database has followed; null: it is new and has missed nothing. */
    begin(lastBlock: bigint | null): Promise<void> {
      if (isKnown) return Promise.resolve();
      if (lastBlock !== null) return read(lastBlock);
      know();
      return Promise.resolve();
    },
    end() {
      isEnded = true;
      pause.wake();
    },
  };
}
