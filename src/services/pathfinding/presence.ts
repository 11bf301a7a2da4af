/** Which nodes can be reached, and how much of the time. Used to choose routes only; no money depends on it. */

import type { Address } from '../../basics/hex.ts';
import type { PresenceAnswer as Answer } from '../../partner/transport.ts';

export type PresenceOptions = {
  /** Asks whether a node is online, as the transport's `presence` does. */
  ask(address: Address): Promise<Answer>;
  /** Calls `work` every `ms` until the returned function is called. */
  every(ms: number, work: () => void): () => void;
  /** A round over all nodes takes this long; default one minute. */
  roundMs?: number;
};
export type NodePresence = ReturnType<typeof createNodePresence>;
/** `uptime`: the share of looks at which the node was online; newer looks count more. */
type Seen = { isReachable: boolean; uptime: number };

const ROUND_MS = 60_000;
const TICK_MS = 1_000;
/** Questions under way at once. */
const MOST_QUESTIONS = 200;
/** Weight of one look. */
const WEIGHT = 0.1;

export function createNodePresence({ ask, every, roundMs = ROUND_MS }: PresenceOptions) {
  const seen = new Map<Address, Seen | null>();
  let round: Address[] = [];
  let asking = 0;

  function note(address: Address, isReachable: boolean): void {
    const before = seen.get(address);
    // A node that is not followed is not noted.
    if (before === undefined) return;
    const now = isReachable ? 1 : 0;
    const uptime = before === null ? now : before.uptime * (1 - WEIGHT) + now * WEIGHT;
    seen.set(address, { isReachable, uptime });
  }

  async function look(address: Address): Promise<void> {
    asking += 1;
    const answer = await ask(address);
    asking -= 1;
    if (answer !== 'unknown') note(address, answer === 'reachable');
  }

  function tick(): void {
    if (round.length === 0) round = [...seen.keys()];
    const share = Math.ceil((seen.size * TICK_MS) / roundMs);
    for (const address of round.splice(0, Math.min(share, MOST_QUESTIONS - asking)))
      void look(address);
  }

  const end = every(Math.min(TICK_MS, roundMs), tick);
  return {
    /** Called when a node has a channel: asks it now and in every round from now on. */
    follow(address: Address): void {
      if (seen.has(address)) return;
      seen.set(address, null);
      if (asking < MOST_QUESTIONS) void look(address);
    },
    heardFrom(address: Address): void {
      if (seen.get(address)?.isReachable !== true) note(address, true);
    },
    /** False only for nodes that are known not to answer. */
    isUsable: (address: Address): boolean => seen.get(address)?.isReachable !== false,
    /** As `isUsable`, but asks once more before it says no. */
    async isUsableNow(address: Address): Promise<boolean> {
      if (seen.get(address)?.isReachable === false) await look(address);
      return seen.get(address)?.isReachable !== false;
    },
    /** 0 to 1; 0 for nodes that are not known to be online at this moment. */
    uptimeOf(address: Address): number {
      const now = seen.get(address);
      return now?.isReachable === true ? now.uptime : 0;
    },
    isKnown: (address: Address): boolean => seen.get(address)?.isReachable === true,
    online: (): Address[] =>
      [...seen].flatMap(([address, now]) => (now?.isReachable === true ? [address] : [])),
    stop: end,
  };
}
