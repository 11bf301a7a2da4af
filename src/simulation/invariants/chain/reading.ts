/**
 * A node that has read the chain up to a block has written all logs about its channels up to there; and it follows
 * the chain while nothing keeps it from that.
 */
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<
  Facts,
  | ('blockHash' | 'channel' | 'channelLogs')
  | ('confirmations' | 'firstBlock' | 'head' | 'machine' | 'machines')
>;

/** Blocks that a node may be behind at the end, besides the confirmations. */
const BEHIND = 5n;
/** Blocks whose index is kept: all nodes of a large network ask for the same few blocks. */
const KEPT = 64;

/** The channels of a node that a block's logs are about, once for each log. */
function createIndex({ blockHash, channel, channelLogs }: Needs) {
  const blocks = new Map<Hash, Map<Address, bigint[]>>();

  function indexed(block: bigint) {
    const ids = new Map<Address, bigint[]>();
    for (const id of channelLogs(block))
      for (const { address } of channel(id)?.sides ?? []) {
        const before = ids.get(address);
        if (before === undefined) ids.set(address, [id]);
        else before.push(id);
      }
    return ids;
  }

  return (block: bigint, owner: Address): readonly bigint[] => {
    const hash = blockHash(block);
    if (hash === null) return [];
    const found = getOrMake(blocks, hash, () => indexed(block));
    const [oldest] = blocks.keys();
    if (blocks.size > KEPT && oldest !== undefined) blocks.delete(oldest);
    return found.get(owner) ?? [];
  };
}

export function createReading(facts: Needs): Oracle {
  const { confirmations, firstBlock, head, machine, machines } = facts;
  const channelsOf = createIndex(facts);
  const cursors = new Map<string, bigint>();
  /** What each node has written of the block that it is in the middle of, and of those after its cursor: logs by place. */
  const begun = new Map<string, Map<string, number>>();

  function check(who: string, { logs }: Batch, from: bigint, to: bigint) {
    const own = machine(who)?.address;
    if (own === undefined) return;
    const written = getOrMake(begun, who, () => new Map<string, number>());
    for (const { log } of logs) {
      if (!('at' in log) || !('channelId' in log)) continue;
      const key = `${log.at.block} ${log.channelId}`;
      written.set(key, (written.get(key) ?? 0) + 1);
    }
    for (let block = from + 1n; block <= to; block++)
      for (const id of channelsOf(block, own)) {
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
      if (fork !== null) {
        begun.delete(who);
        return void cursors.set(who, fork.block);
      }
      if (cursor === null) return;
      const before = cursors.get(who) ?? firstBlock;
      // In the middle of a block, only those before it are whole.
      const whole = cursor.lastLog === undefined ? cursor.block : cursor.block - 1n;
      // After its disk lost the newest rows, a node reads the same blocks again.
      if (whole >= before) check(who, batch, before, whole);
      if (cursor.lastLog === undefined) begun.delete(who);
      cursors.set(who, whole);
    },
    end() {
      for (const { name, isFit } of machines()) {
        const block = cursors.get(name) ?? firstBlock;
        if (isFit && block + confirmations + BEHIND < head())
          throw new Violation(21, name, `${name} stays at block ${block} of ${head()}`);
      }
    },
  };
}
