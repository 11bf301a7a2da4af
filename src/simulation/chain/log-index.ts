/**
 * The logs of the chain by contract, so that the time of a query depends on what it finds, not on the length of the
 * chain.
 */
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import type { Block, EncodedLog, Log } from './blocks.ts';

export type LogQuestion = {
  /** Inclusive. */
  from: bigint;
  to: bigint;
  /** Null: of all contracts. */
  addresses: readonly Address[] | null;
  /** For each topic position the wanted topics; null: any. */
  topics: readonly (readonly Hash[] | null)[];
};

export function createLogIndex() {
  const all: Log[] = [];
  const byAddress = new Map<Address, Log[]>();

  function listOf(address: Address): Log[] {
    return getOrMake(byAddress, address, () => []);
  }

  return {
    append({ logs }: Block): void {
      for (const log of logs) {
        all.push(log);
        listOf(log.address).push(log);
      }
    },
    /** Removes the logs of the newest block. */
    remove({ logs }: Block): void {
      for (const log of logs) {
        all.pop();
        listOf(log.address).pop();
      }
    },
    /** Finds logs in the order of the chain. */
    find({ from, to, addresses, topics }: LogQuestion): EncodedLog[] {
      const lists = addresses === null ? [all] : [...new Set(addresses)].map(listOf);
      const found = lists.flatMap((list) => within(list, Number(from), Number(to)));
      const wanted = found.filter(({ encoded }) => fits(encoded, topics));
      if (lists.length > 1) wanted.sort(byPlace);
      return wanted.map(({ encoded }) => encoded);
    },
  };
}

function byPlace(one: Log, other: Log): number {
  return one.blockNumber - other.blockNumber || one.logIndex - other.logIndex;
}

function within(list: readonly Log[], from: number, to: number): readonly Log[] {
  const newest = list.at(-1);
  if (newest === undefined || newest.blockNumber < from) return [];
  return list.slice(firstFrom(list, from), firstFrom(list, to + 1));
}

/** The index of the first log of this block or a later one. */
function firstFrom(list: readonly Log[], block: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.blockNumber ?? 0) < block) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fits({ topics }: EncodedLog, wanted: LogQuestion['topics']): boolean {
  return wanted.every((choices, at) => {
    const topic = topics[at];
    return choices === null || (topic !== undefined && choices.includes(topic));
  });
}
