/**
 * The addresses that ever had a channel in a token network: read from the logs of its openings when they are needed.
 */
import { getAbiItem, toEventSelector } from 'viem';
import type { Address } from '../../basics/hex.ts';
import type { Result } from '../../protocol/codes.ts';
import { tokenNetworkAbi } from '../abi.ts';
import type { ChainClient } from '../client.ts';
import { createPastLogs } from './past-logs.ts';

const OPENED = toEventSelector(getAbiItem({ abi: tokenNetworkAbi, name: 'ChannelOpened' }));

/** Reads only what is new since the last time. Only confirmed blocks are read, so what was read stays true. */
export function createParticipants({
  client,
  deployBlock,
}: {
  client: ChainClient;
  deployBlock: bigint;
}) {
  const networks = new Map<Address, ReturnType<typeof begin>>();

  function begin(network: Address) {
    const known = new Set<Address>();
    const openings = createPastLogs({
      client,
      topics: [OPENED],
      fromBlock: deployBlock,
      // The result only serves to propose partners.
      mustBeWhole: false,
      contract: { kind: 'tokenNetwork', address: network },
      onLogs(logs) {
        for (const log of logs)
          if (log.type === 'chain.channelOpened') known.add(log.participant1).add(log.participant2);
      },
    });
    return { known, openings };
  }

  return {
    /** All addresses that had a channel up to the block, in no order. Failure: chain_unavailable. */
    async of(network: Address, confirmedBlock: bigint): Promise<Result<Address[]>> {
      const { known, openings } = networks.get(network) ?? begin(network);
      networks.set(network, { known, openings });
      const read = await openings.readTo(confirmedBlock);
      return read.ok ? { ok: true, value: [...known] } : read;
    },
  };
}
