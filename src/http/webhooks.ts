/**
 * Sends the feed's events to other programs: by POST, each signed, in order, at least once. The feed is the outbox:
 * what a receiver has taken is recorded on disk, so that the next process continues after it.
 */
import { createHash, createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../basics/environment.ts';
import type { Feed } from '../node/runtime/commits/feed.ts';
import { feedText, gapText } from './shapes/feed-serializer.ts';

export type WebhookOptions = {
  /** http(s) without user and password. Paths and queries may be secrets: they are never logged. */
  urls: readonly string[];
  /** The key with which receivers check the signature. */
  secret: string;
  feed: Feed;
  /** The last event that the receiver with this name took; `set` has written it to disk when it returns. */
  cursors: { get(name: string): number | null; set(name: string, seq: number): void };
  /** Milliseconds since 1970. */
  now(): number;
  log: Log;
  /** Milliseconds before the second try of an event; each later pause is twice as long. */
  firstPauseMs?: number;
};

/** One call: an event, or a gap up to `seq`. */
type Item = { seq: number; text: string };

const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** Events that are held in memory for one receiver. */
const AHEAD = 100;

/**
 * Starts to send. A URL without a cursor gets the events from now on. The returned function ends it: calls in progress
 * are cut off, and made again by the next process.
 */
export function startWebhooks(options: WebhookOptions): () => Promise<void> {
  const ending = new AbortController();
  const urls = [...new Set(options.urls)];
  const receivers = urls.map((url) => follow(url, options, ending.signal));
  return async () => {
    ending.abort();
    await Promise.all(receivers);
  };
}

async function follow(url: string, options: WebhookOptions, ending: AbortSignal): Promise<void> {
  const { feed, cursors, log } = options;
  const name = createHash('sha256').update(url).digest('hex');
  const bell = createBell();
  const stopHearing = feed.onNew(bell.ring);
  ending.addEventListener('abort', bell.ring);
  try {
    const { newest } = feed.bounds();
    let told = Math.min(cursors.get(name) ?? newest, newest);
    cursors.set(name, told);
    const nextAfter = createReader(feed);
    while (!ending.aborted) {
      const item = nextAfter(told);
      if (item === null) await bell.rung();
      else if (await deliver(url, item, options, ending)) {
        told = item.seq;
        cursors.set(name, told);
      }
    }
  } catch (error) {
    log.error({ webhook: new URL(url).origin, error: String(error) }, 'a webhook has ended');
  } finally {
    stopHearing();
    ending.removeEventListener('abort', bell.ring);
  }
}

/** Reads the next event, or gap, after the given one; null when there is none yet. */
function createReader(feed: Feed) {
  let ahead: Item[] = [];
  return (told: number): Item | null => {
    if (ahead.length === 0) {
      const { oldest } = feed.bounds();
      if (told + 1 < oldest) return { seq: oldest - 1, text: gapText(told + 1, oldest - 1) };
      ahead = feed.after(told, AHEAD).map((event) => ({ seq: event.seq, text: feedText(event) }));
    }
    return ahead.shift() ?? null;
  };
}

/** Tries until the receiver takes the event. False: the node ended before. */
async function deliver(
  url: string,
  item: Item,
  options: WebhookOptions,
  ending: AbortSignal,
): Promise<boolean> {
  const { log, firstPauseMs = FIRST_PAUSE_MS } = options;
  const facts = { webhook: new URL(url).origin, seq: item.seq };
  for (let pauseMs = firstPauseMs, tries = 1; !ending.aborted; tries++) {
    const problem = await post(url, item, options, ending);
    if (problem === null) {
      if (tries > 1) log.info({ ...facts, tries }, 'a webhook takes events again');
      return true;
    }
    if (tries === 1 && !ending.aborted)
      log.warn({ ...facts, problem }, 'a webhook does not take an event: it is tried again');
    // The pause is cut short when the node ends.
    await delay(pauseMs, undefined, { signal: ending }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
  return false;
}

/** Posts once. Null when the receiver took it, else why not. Redirects are not followed. */
async function post(
  url: string,
  { seq, text }: Item,
  { secret, now }: WebhookOptions,
  ending: AbortSignal,
): Promise<string | null> {
  const attempt = new AbortController();
  const abort = () => attempt.abort();
  const timer = setTimeout(abort, TIMEOUT_MS);
  ending.addEventListener('abort', abort);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sluice-event-id': String(seq),
        'sluice-signature': signatureOf(text, secret, Math.floor(now() / 1_000)),
      },
      body: text,
      redirect: 'manual',
      signal: attempt.signal,
    });
    // The body of the answer does not matter, nor does a failure to cancel it.
    await response.body?.cancel().catch(() => {});
    return response.ok ? null : `status ${response.status}`;
  } catch (error) {
    return problemOf(error);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', abort);
  }
}

/** The time is signed together with the text, so that an old call cannot be replayed. */
function signatureOf(text: string, secret: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}

/** The kind of the error; its message may hold the URL. */
function problemOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  if (!(error instanceof Error)) return 'unknown';
  return error.name === 'AbortError' ? `no answer in ${TIMEOUT_MS / 1_000} s` : error.name;
}

function createBell() {
  let wake = () => {};
  return {
    ring: () => wake(),
    rung: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
}
