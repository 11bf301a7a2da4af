/**
 * A node that has got as far as a block has written what the chain says of its channels up to there, and gets as
 * far as the chain while nothing keeps it from it.
 */
import type { Batch } from '../../store/batch.ts';
import type { Facts, Oracle } from './oracle.ts';
import { Violation } from './violation.ts';

type Needs = Pick<
  Facts,
  'channel' | 'channelLogs' | 'confirmations' | 'head' | 'machine' | 'machines'
>;

/** Blocks that a node may be behind in the end, besides the confirmations. */
const BEHIND = 5n;

export function createReading(facts: Needs): Oracle {
  const { channel, channelLogs, confirmations, head, machine, machines } = facts;
  const cursors = new Map<string, bigint>();

  function check(who: string, { logs }: Batch, from: bigint, to: bigint) {
    const own = machine(who)?.address;
    const written = new Map<string, number>();
    for (const { log } of logs) {
      if (!('at' in log) || !('channelId' in log)) continue;
      const key = `${log.at.block} ${log.channelId}`;
      written.set(key, (written.get(key) ?? 0) + 1);
    }
    for (let block = from + 1n; block <= to; block++)
      for (const id of channelLogs(block)) {
        if (!channel(id)?.sides.some(({ address }) => address === own)) continue;
        const key = `${block} ${id}`;
        const left = (written.get(key) ?? 0) - 1;
        written.set(key, left);
        if (left < 0)
          throw new Violation(20, who, `${who} has left out what block ${block} says of ${id}`);
      }
  }

  return {
    commit(who, batch) {
      const { cursor, fork } = batch;
      if (fork !== null) return void cursors.set(who, fork.block);
      if (cursor === null) return;
      const before = cursors.get(who) ?? 0n;
      // A disk that lost its newest rows reads the same blocks again.
      if (cursor.block > before) check(who, batch, before, cursor.block);
      cursors.set(who, cursor.block);
    },
    end() {
      for (const { name, isFit } of machines()) {
        const block = cursors.get(name) ?? 0n;
        if (isFit && block + confirmations + BEHIND < head())
          throw new Violation(21, name, `${name} stays at block ${block} of ${head()}`);
      }
    },
  };
}
