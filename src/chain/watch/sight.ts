/**
 * What this node sees of the chain's head, and whether that can be relied on at a given moment. It is asked when a
 * promise is about to be made, so that a process that slept finds its view out of date although nothing has told it.
 *
 * A development chain mines when it is told to, so its newest block can be of any age: there the answer of the
 * process that makes the blocks counts instead of the clock. That is no weaker: an endpoint that is behind is found
 * out at once.
 *
 * An endpoint of several machines may let one answer that is behind. What was seen before is still true then, so it stands
 * as long as it would if the endpoint had not answered at all.
 */
import type { Clock } from '../../basics/environment.ts';
import type { ChainClient } from '../client.ts';
import { isDevelopment, makesOnDemand, newestOfDevelopment } from '../development.ts';
import { type Head, headTrouble, lookTrouble, type Pace, paceAfter } from './freshness.ts';
import { type Header, headHeader } from './headers.ts';

export type ChainSight = ReturnType<typeof createChainSight>;
type Options = {
  client: ChainClient;
  clocks: Pick<Clock, 'now' | 'elapsed'>;
  pollIntervalMs: number;
};
type SeenHead = Head & {
  header: Header;
  /** The newest block as the process tells it that makes all blocks; null: there is no such process. */
  told: bigint | null;
};

/** Blocks that the first estimate of the block time looks back. */
const LOOK_BACK = 100n;
/** The process that makes the blocks is not asked more often than this, however often the head is. */
const WORD_MS = 200;

export function createChainSight({ client, clocks, pollIntervalMs }: Options) {
  const now = () => clocks.now();
  const elapsed = () => clocks.elapsed();
  let pace: Pace = [];
  let head: SeenHead | null = null;
  /** When the last answer about the head came, by both clocks. */
  let seen = { now: 0, elapsed: 0 };
  let word: { told: bigint | null; at: number } | null = null;

  async function newest(): Promise<Head & { header: Header }> {
    const header = await headHeader(client);
    return { number: header.number, time: 1000 * Number(header.timestamp), header };
  }

  async function firstPace(found: Head): Promise<Pace> {
    const number = found.number > LOOK_BACK ? found.number - LOOK_BACK : 0n;
    const { timestamp } = await client.getBlock({ blockNumber: number });
    return paceAfter([], { number, time: 1000 * Number(timestamp) }, found);
  }

  async function wordNow(): Promise<bigint | null> {
    word = { told: await newestOfDevelopment(client), at: elapsed() };
    return word.told;
  }

  async function wordOfMaker(): Promise<bigint | null> {
    const isLate = word === null || Math.abs(elapsed() - word.at) >= WORD_MS;
    return isLate || word === null ? wordNow() : word.told;
  }

  async function lookOnce(): Promise<SeenHead> {
    const [first, said] = await Promise.all([newest(), wordOfMaker()]);
    // Many blocks may have been mined since that answer, and an endpoint that is behind may know only the first of
    // them.
    const told = said !== null && first.number > said ? await wordNow() : said;
    // A block may have been mined between the two answers.
    const found = told !== null && first.number < told ? await newest() : first;
    return { ...found, told };
  }

  /** Whether the answer is older than what is known, which is not too old itself. */
  function isBehind(found: SeenHead, known: SeenHead | null): known is SeenHead {
    if (known === null || found.told !== null || found.number >= known.number) return false;
    return [now() - seen.now, elapsed() - seen.elapsed].every(
      (age) => lookTrouble(age, pollIntervalMs) === null,
    );
  }

  function troubleOf(found: SeenHead): string | null {
    const { told, number } = found;
    if (told === null) {
      const trouble = headTrouble(found, pace, now());
      const isOnDemand = trouble !== null && isDevelopment(BigInt(client.chain.id));
      return isOnDemand ? `${trouble} ${makesOnDemand(client.chain.id)}` : trouble;
    }
    if (number >= told) return null;
    return `The endpoint knows no block after ${number}, but its chain is at block ${told}.`;
  }

  return {
    /** The newest block that the endpoint knows, and what is wrong with it. Rejects when it fails. */
    async look(): Promise<Header & { trouble: string | null }> {
      const found = await lookOnce();
      if (isBehind(found, head)) return { ...head.header, trouble: troubleOf(head) };
      pace = head === null ? await firstPace(found) : paceAfter(pace, head, found);
      head = found;
      seen = { now: now(), elapsed: elapsed() };
      return { ...found.header, trouble: troubleOf(found) };
    },

    /** Why nothing may be promised by what this node sees, for people; or null. Judged at this moment. */
    trouble(): string | null {
      if (head === null) return 'The endpoint has not told its newest block yet.';
      return (
        lookTrouble(now() - seen.now, pollIntervalMs) ??
        lookTrouble(elapsed() - seen.elapsed, pollIntervalMs) ??
        troubleOf(head)
      );
    },
  };
}
