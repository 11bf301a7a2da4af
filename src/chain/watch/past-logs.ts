/** The past logs of a contract, read in ranges as long as the endpoint accepts. */
import type { RpcLog } from 'viem';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { type Address, type Hash, ZERO_ADDRESS } from '../../basics/hex.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ChainClient } from '../client.ts';
import { describe } from '../describe.ts';
import { isUnreachable } from '../errors.ts';
import { readHeaders } from './headers.ts';
import { readLogs } from './logs.ts';
import { LOOKED_AT, nextBlocks, nextRange, START_RANGE } from './ranges.ts';
import { type Blocks, byRange, logsOfOldRange, logsOfRange } from './sound-logs.ts';

/** Failures in a row after which reading is given up; a refusal does not count while the range can be made shorter. */
const TRIES = 3;

type Options = {
  client: ChainClient;
  contract: { kind: 'tokenNetwork' | 'secretRegistry'; address: Address };
  /** First topics of the events that are wanted. */
  topics: readonly Hash[];
  fromBlock: bigint;
  /**
   * Whether a missing log may lose money: then the answers are checked like those about the blocks that a node
   * follows. Otherwise they are believed as they are.
   */
  mustBeWhole: boolean;
  /** Called with what each range holds; the next one is read when it is done. */
  onLogs(logs: readonly ChainLog[]): void | Promise<void>;
};

/** Passes each log to `onLogs` once, by block and index, however often and far it reads. */
export function createPastLogs({ client, contract, ...options }: Options) {
  const { address } = contract;
  const nothing = { registry: ZERO_ADDRESS, secretRegistry: ZERO_ADDRESS, tokenNetworks: [] };
  const asked =
    contract.kind === 'secretRegistry' ? { secretRegistry: address } : { tokenNetworks: [address] };
  let cursorBlock = options.fromBlock - 1n;
  let range = START_RANGE;

  const question = { contracts: [{ address, topics: options.topics }] };

  async function answerOf(blocks: Blocks, lastBlock: bigint): Promise<RpcLog[]> {
    if (!options.mustBeWhole) return byRange(client, blocks, question);
    const { fromBlock, toBlock } = blocks;
    const soundBlock = lastBlock - LOOKED_AT;
    if (toBlock < soundBlock) return logsOfOldRange(client, blocks, question);
    const from = fromBlock > soundBlock ? fromBlock : soundBlock;
    const old = { fromBlock, toBlock: from - 1n };
    const oldLogs = from > fromBlock ? await logsOfOldRange(client, old, question) : [];
    const headers = await readHeaders(client, from, toBlock);
    return [...oldLogs, ...(await logsOfRange(client, headers, question))];
  }

  async function ask(blocks: Blocks, lastBlock: bigint) {
    const answer = await answerOf(blocks, lastBlock);
    return readLogs(answer, { ...nothing, ...asked, ...blocks });
  }

  /** `isHopeful`: a shorter range may be answered. */
  async function tried(
    blocks: Blocks,
    lastBlock: bigint,
  ): Promise<{ logs: ChainLog[] } | { error: unknown; isHopeful: boolean }> {
    try {
      const read = await ask(blocks, lastBlock);
      range = nextRange(range, { logs: read.length });
      return { logs: read.map(({ log }) => log) };
    } catch (error) {
      const isRefused = !isUnreachable(error);
      const isHopeful = isRefused && range > 1n;
      range = nextRange(range, isRefused ? 'refused' : 'unreachable');
      return { error, isHopeful };
    }
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
        const read = await tried(blocks, lastBlock);
        if ('logs' in read) {
          failures = 0;
          await options.onLogs(read.logs);
          cursorBlock = blocks.toBlock;
        } else {
          failures = read.isHopeful ? 0 : failures + 1;
          if (failures >= TRIES)
            return { ok: false, code: 'chain_unavailable', detail: describe(read.error) };
        }
      }
    },
  };
}
