/**
 * Feedback on routes. A node that asked for routes may report for ten minutes whether each worked. A route that failed
 * is listed after all others for the same ten minutes; it is never left out, since nobody can check a stranger's
 * report. A success cancels the failure.
 */
import { and, desc, eq, gt, lt, lte, or } from 'drizzle-orm';
import { type Address, toHex } from '../../basics/hex.ts';
import type { FoundPath } from '../../routing/network.ts';
import type { ServiceDatabase } from '../base/database.ts';
import { failedPaths, feedbackTokens } from './schema.ts';

export type FeedbackParts = {
  database: Pick<ServiceDatabase, 'connection'>;
  /** Adds a write to the next commit; resolves when it is on disk. */
  write: (work: () => void) => Promise<void>;
  drawBytes: (count: number) => Uint8Array;
  now: () => number;
  mostTokens?: number;
};
export type Feedback = ReturnType<typeof createFeedback>;

/** A token is valid, and a failure counts, for this long. */
const VALID_MS = 600_000;
const TOKEN_BYTES = 16;
/** Most tokens that `clean` keeps: on a free service everybody gets as many as they ask for. */
const MOST_TOKENS = 50_000;
/** Most failed paths that are remembered. */
const MOST_FAILED = 10_000;

export function createFeedback(parts: FeedbackParts) {
  const { database, write, drawBytes, now, mostTokens = MOST_TOKENS } = parts;
  const { db } = database.connection;
  /** By network and path, the time until which the path is listed last. */
  const failed = new Map<string, number>();
  for (const { tokenNetwork, path, until } of db
    .select()
    .from(failedPaths)
    .where(gt(failedPaths.until, now()))
    .all())
    failed.set(`${tokenNetwork} ${path}`, until);

  const hasFailed = (tokenNetwork: Address, path: readonly Address[]) =>
    (failed.get(`${tokenNetwork} ${path.join(',')}`) ?? 0) > now();

  function noteFailure(tokenNetwork: Address, path: string): void {
    const until = now() + VALID_MS;
    const [oldest] = failed.keys();
    if (failed.size >= MOST_FAILED && oldest !== undefined) failed.delete(oldest);
    failed.delete(`${tokenNetwork} ${path}`);
    failed.set(`${tokenNetwork} ${path}`, until);
    db.insert(failedPaths)
      .values({ tokenNetwork, path, until })
      .onConflictDoUpdate({
        target: [failedPaths.tokenNetwork, failedPaths.path],
        set: { until },
      })
      .run();
  }

  function noteSuccess(tokenNetwork: Address, path: string): void {
    if (!failed.delete(`${tokenNetwork} ${path}`)) return;
    db.delete(failedPaths)
      .where(and(eq(failedPaths.tokenNetwork, tokenNetwork), eq(failedPaths.path, path)))
      .run();
  }

  return {
    hasFailures: (): boolean => failed.size > 0,
    /** The same paths, with those that have failed at the end. */
    order(tokenNetwork: Address, paths: readonly FoundPath[]): FoundPath[] {
      const isBad = ({ path }: FoundPath) => hasFailed(tokenNetwork, path);
      return [...paths.filter((path) => !isBad(path)), ...paths.filter(isBad)];
    },
    /** The token under which these paths may be judged: 32 hex digits, on disk when this resolves. */
    async issue(tokenNetwork: Address, paths: readonly FoundPath[]): Promise<string> {
      const token = toHex(drawBytes(TOKEN_BYTES)).slice(2);
      const text = paths.map(({ path }) => path.join(',')).join('\n');
      await write(() => {
        const row = { token, tokenNetwork, paths: text, time: now() };
        db.insert(feedbackTokens).values(row).run();
      });
      return token;
    },
    /** Takes a report; false when the token is unknown or too old, or was given for other paths. */
    async judge(
      tokenNetwork: Address,
      { token, path, isGood }: { token: string; path: readonly Address[]; isGood: boolean },
    ): Promise<boolean> {
      const row = db.select().from(feedbackTokens).where(eq(feedbackTokens.token, token)).get();
      if (row === undefined || row.tokenNetwork !== tokenNetwork) return false;
      const text = path.join(',');
      if (row.time + VALID_MS < now() || !row.paths.split('\n').includes(text)) return false;
      await write(() =>
        isGood ? noteSuccess(tokenNetwork, text) : noteFailure(tokenNetwork, text),
      );
      return true;
    },
    /** Deletes what is too old, and the oldest tokens when there are too many. */
    async clean(): Promise<void> {
      for (const [path, until] of failed) if (until <= now()) failed.delete(path);
      await write(() => {
        const { time } = feedbackTokens;
        const newest = db.select({ time }).from(feedbackTokens).orderBy(desc(time));
        const firstTooMany = newest.limit(1).offset(mostTokens).get()?.time ?? 0;
        db.delete(feedbackTokens)
          .where(or(lt(time, now() - VALID_MS), lte(time, firstTooMany)))
          .run();
        db.delete(failedPaths).where(lt(failedPaths.until, now())).run();
      });
    },
  };
}
