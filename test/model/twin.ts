/** A node that locks one secrethash twice: as soon as a lock of its own is paid, in the same payload. */
import { isChannel } from '../../src/node/views.ts';
import type { Address, Hash } from '../../src/protocol/hex.ts';
import { routesMetadata } from '../../src/protocol/metadata.ts';
import type { Who } from './actions.ts';
import type { End } from './end.ts';

type Options = {
  owners: readonly Address[];
  endOf(who: Who): End;
  channelIds(): readonly bigint[];
  actorOf(channelId: bigint): string;
  /** Whether this node may begin to cheat: there is one cheat in a life. */
  mayCheat(who: Who): boolean;
};
type Held = { channelId: bigint; transferred: bigint; locks: Hash[] };

export function createTwin({ owners, endOf, channelIds, actorOf, mayCheat }: Options) {
  const twins = new Set<Hash>();
  let planned: { by: Who; amount: bigint } | null = null;

  /** The locks that a node has signed and not paid, in each of its channels. */
  function ownLocks(who: Who): Held[] {
    return channelIds().flatMap((channelId) => {
      const context = endOf(who).process()?.actors.stateOf(actorOf(channelId))?.context;
      if (context === undefined || !isChannel(context)) return [];
      const { locks, transferred } = context.ownEnd;
      return [{ channelId, transferred, locks: locks.map(({ secrethash }) => secrethash) }];
    });
  }

  function sign(by: Who, channelId: bigint, secrethash: Hash, amount: bigint) {
    const isForward = Number(channelId) > by;
    const route = isForward ? owners.slice(by) : owners.slice(0, by + 1).toReversed();
    const [initiator, target] = [route[0], route.at(-1)];
    const facts = { paymentId: 77n, amount, secrethash, lockTimeout: null, from: 'nobody' };
    const lock = {
      ...{ type: 'told.addLock', ...facts, initiator, target },
      metadata: routesMetadata(route),
    };
    // The cheat wants its money back, too.
    const kept = {
      ...{ type: 'told.unanswered', side: 'own', secrethash },
      isPublic: endOf(by).disk.registeredSecret(secrethash) !== null,
    };
    const to = actorOf(channelId);
    endOf(by).alive((process) => process.deliver({ to, event: lock }, { to, event: kept }));
  }

  function signAgain(before: readonly Held[], by: Who, amount: bigint) {
    const after = ownLocks(by);
    for (const { channelId, transferred, locks } of before) {
      const now = after.find((one) => one.channelId === channelId);
      const paid = locks.find((hash) => now?.locks.includes(hash) === false);
      if (now === undefined || paid === undefined || now.transferred === transferred) continue;
      if (planned === null || !mayCheat(by)) return;
      planned = null;
      twins.add(paid);
      sign(by, channelId, paid, amount);
    }
  }

  return {
    plan: (by: Who, amount: bigint) => {
      planned = { by, amount };
    },
    end: () => {
      planned = null;
    },
    /** Lets a node take what has come for it, and cheat over it. */
    around(who: Who, take: () => void) {
      if (planned?.by !== who) return take();
      const { amount } = planned;
      const before = ownLocks(who);
      take();
      signAgain(before, who, amount);
    },
    /** Secrethashes that were locked twice. */
    secrethashes: (): ReadonlySet<Hash> => twins,
  };
}
