/** Reads the newest release from the URL that the operator configured; without one nobody is asked. */
import * as v from 'valibot';
import { boundedText } from '../../basics/bounded-text.ts';
import type { Log } from '../../basics/environment.ts';
import type { NodeSettings } from '../runtime/parts.ts';

export type Release = { version: string; isSecurity: boolean };

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
/** major.minor.patch, and for a pre-release a dash and its label. */
const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z.-]{1,64})?$/;

const answer = v.pipe(
  v.object({ version: v.pipe(v.string(), v.regex(VERSION)), security: v.boolean() }),
  v.transform(({ version, security }) => ({ version, isSecurity: security })),
);

/** Rejects when the URL does not answer in time with `{"version":"1.2.3","security":false}`. */
async function readRelease(url: string): Promise<Release> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await boundedText(response, MAX_BYTES);
  if (!response.ok) throw new Error(`the release feed answers ${response.status}`);
  const parsed = v.safeParse(answer, JSON.parse(text));
  if (!parsed.success) throw new Error('the release feed answers something else than a release');
  return parsed.output;
}

/** Whether `other` is a later release than `own`. A pre-release comes before its release. */
export function isNewer(other: string, own: string): boolean {
  const [a, b] = [VERSION.exec(other), VERSION.exec(own)];
  if (a === null || b === null) return false;
  for (const part of [1, 2, 3]) {
    const difference = Number(a[part]) - Number(b[part]);
    if (difference !== 0) return difference > 0;
  }
  return a[4] === undefined && b[4] !== undefined;
}

/** Asks the release feed. `newer`: a release after this version; null: none; undefined: not known. */
export function newestRelease(
  { releaseFeed, version }: Pick<NodeSettings, 'releaseFeed' | 'version'>,
  log: Log,
) {
  let newest: Release | undefined;
  let running: Promise<void> | null = null;

  async function ask(feed: string): Promise<void> {
    newest = undefined;
    try {
      newest = await readRelease(feed);
    } catch (error) {
      log.warn({ error: String(error) }, 'the release feed cannot be read');
    }
  }

  return {
    newer(): Release | null | undefined {
      if (releaseFeed === null) return null;
      return newest && (isNewer(newest.version, version) ? newest : null);
    },
    async ask(): Promise<void> {
      if (releaseFeed === null) return;
      running ??= ask(releaseFeed).finally(() => {
        running = null;
      });
      await running;
    },
  };
}
