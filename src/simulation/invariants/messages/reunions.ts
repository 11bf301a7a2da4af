/** Whoever has started again tells each honest partner what it holds, by a Sync in each open channel. */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'head' | 'machines' | 'quietSince'> & {
  /** Whether the node's process runs. */
  isUp(who: string): boolean;
  /** The open channels that a running node has with honest nodes, which take what is signed for them. */
  channelsOf(who: string): readonly string[];
  /** Blocks in which a partner is found when nothing is in the way. */
  healing: bigint;
};

export function createReunions(needs: Needs): Oracle {
  const { head, machines, quietSince, isUp, channelsOf, healing } = needs;
  /** The nodes whose process was seen to be down, with the channels in which a new one has said its Sync. */
  const down = new Map<string, Set<string>>();
  /** The channels in which a node has not said its Sync since it started, and the block in which it did. */
  const owed = new Map<string, { channels: Set<string>; sinceBlock: bigint }>();

  function notice(who: string) {
    if (!isUp(who)) return void down.set(who, new Set());
    const said = down.get(who);
    if (said === undefined) return;
    down.delete(who);
    const channels = channelsOf(who).filter((channel) => !said.has(channel));
    owed.set(who, { channels: new Set(channels), sinceBlock: head() });
  }

  function check(who: string, quietBlock: bigint) {
    const known = owed.get(who);
    if (known === undefined) return;
    const { channels, sinceBlock } = known;
    const since = sinceBlock > quietBlock ? sinceBlock : quietBlock;
    if (head() - since <= healing) return;
    owed.delete(who);
    const left = channelsOf(who).find((channel) => channels.has(channel));
    if (left === undefined) return;
    throw new Violation(21, who, `${who} has started again and says no Sync in ${left}`);
  }

  return {
    says(who, _, message) {
      if (message.type !== 'Sync') return;
      const channel = channelActorId(message);
      owed.get(who)?.channels.delete(channel);
      down.get(who)?.add(channel);
    },
    block() {
      for (const { name } of machines()) notice(name);
      const quietBlock = owed.size > 0 ? quietSince() : null;
      if (quietBlock !== null) for (const who of owed.keys()) check(who, quietBlock);
    },
  };
}
