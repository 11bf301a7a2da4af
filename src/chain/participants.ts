/** Who ever had a channel in a token network: read from the logs of its openings when it is needed. */
import { getAbiItem, type RpcLog, toEventSelector } from 'viem';
import type { Result } from '../protocol/codes.ts';
import { type Address, ZERO_ADDRESS } from '../protocol/hex.ts';
import { tokenNetworkAbi } from './abi.ts';
import type { ChainClient } from './client.ts';
import { describe, isUnreachable } from './errors.ts';
import { readLogs } from './logs.ts';
import { nextBlocks, nextRange, START_RANGE } from './ranges.ts';

export type Participants = ReturnType<typeof createParticipants>;

/** Failures in a row of ranges that cannot be made shorter. */
const TRIES = 3;

const OPENED = toEventSelector(getAbiItem({ abi: tokenNetworkAbi, name: 'ChannelOpened' }));

/**
 * Reads only what is new since it was asked before. Confirmed blocks alone are read, so that what was read
 * stays true.
 */
export function createParticipants({
  client,
  deployBlock,
}: {
  client: ChainClient;
  deployBlock: bigint;
}) {
  const networks = new Map<Address, { known: Set<Address>; cursor: bigint; range: bigint }>();

  async function openings(network: Address, fromBlock: bigint, toBlock: bigint) {
    const answer: RpcLog[] = await client.request({
      method: 'eth_getLogs',
      params: [
        {
          address: network,
          topics: [OPENED],
          fromBlock: `0x${fromBlock.toString(16)}`,
          toBlock: `0x${toBlock.toString(16)}`,
        },
      ],
    });
    const nothing = { registry: ZERO_ADDRESS, secretRegistry: ZERO_ADDRESS };
    return readLogs(answer, { ...nothing, tokenNetworks: [network], fromBlock, toBlock });
  }

  return {
    /** Everybody up to the block, in no order. Failure: chain_unavailable. */
    async of(network: Address, confirmedBlock: bigint): Promise<Result<Address[]>> {
      const fresh = { known: new Set<Address>(), cursor: deployBlock - 1n, range: START_RANGE };
      const state = networks.get(network) ?? fresh;
      networks.set(network, state);
      let failures = 0;
      for (;;) {
        const blocks = nextBlocks(state.cursor, confirmedBlock, state.range);
        if (blocks === null) return { ok: true, value: [...state.known] };
        try {
          for (const { log } of await openings(network, blocks.fromBlock, blocks.toBlock)) {
            if (log.type !== 'chain.channelOpened') continue;
            state.known.add(log.participant1).add(log.participant2);
          }
          state.cursor = blocks.toBlock;
          state.range = nextRange(state.range, 'answered');
          failures = 0;
        } catch (error) {
          const isRefused = !isUnreachable(error);
          failures = isRefused && state.range > 1n ? 0 : failures + 1;
          state.range = nextRange(state.range, isRefused ? 'refused' : 'unreachable');
          if (failures >= TRIES)
            return { ok: false, code: 'chain_unavailable', detail: describe(error) };
        }
      }
    },
  };
}
