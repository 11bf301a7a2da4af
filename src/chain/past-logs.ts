/** What a contract logged before: read in ranges as long as the endpoint takes them. */
import type { RpcLog } from 'viem';
import type { ChainLog } from '../../machines/events.ts';
import type { Result } from '../protocol/codes.ts';
import { type Address, type Hash, ZERO_ADDRESS } from '../protocol/hex.ts';
import type { ChainClient } from './client.ts';
import { describe, isUnreachable } from './errors.ts';
import { readLogs } from './logs.ts';
import { nextBlocks, nextRange, START_RANGE } from './ranges.ts';

/** Failures in a row of ranges that cannot be made shorter. */
const TRIES = 3;

type Options = {
  client: ChainClient;
  contract: { kind: 'tokenNetwork' | 'secretRegistry'; address: Address };
  /** First topics of the events that are wanted. */
  topics: readonly Hash[];
  fromBlock: bigint;
  onLog(log: ChainLog): void;
};

/** Each log is handed on once, by block and index, however often and far it is read. */
export function createPastLogs({ client, contract, topics, ...options }: Options) {
  const { address } = contract;
  const nothing = { registry: ZERO_ADDRESS, secretRegistry: ZERO_ADDRESS, tokenNetworks: [] };
  const asked =
    contract.kind === 'secretRegistry' ? { secretRegistry: address } : { tokenNetworks: [address] };
  let cursorBlock = options.fromBlock - 1n;
  let range = START_RANGE;

  async function ask(fromBlock: bigint, toBlock: bigint) {
    const answer: RpcLog[] = await client.request({
      method: 'eth_getLogs',
      params: [
        {
          address,
          topics: [[...topics]],
          fromBlock: `0x${fromBlock.toString(16)}`,
          toBlock: `0x${toBlock.toString(16)}`,
        },
      ],
    });
    return readLogs(answer, { ...nothing, ...asked, fromBlock, toBlock });
  }

  return {
    /**
     * Reads on to the block, inclusive; only confirmed blocks stay true. Failure: chain_unavailable; what was
     * read until then was handed on, and the next call goes on from there.
     */
    async readTo(lastBlock: bigint): Promise<Result<null>> {
      let failures = 0;
      for (;;) {
        const blocks = nextBlocks(cursorBlock, lastBlock, range);
        if (blocks === null) return { ok: true, value: null };
        try {
          const read = await ask(blocks.fromBlock, blocks.toBlock);
          for (const { log } of read) options.onLog(log);
          cursorBlock = blocks.toBlock;
          range = nextRange(range, 'answered');
          failures = 0;
        } catch (error) {
          const isRefused = !isUnreachable(error);
          failures = isRefused && range > 1n ? 0 : failures + 1;
          range = nextRange(range, isRefused ? 'refused' : 'unreachable');
          if (failures >= TRIES)
            return { ok: false, code: 'chain_unavailable', detail: describe(error) };
        }
      }
    },
  };
}
