/**
 * Safe mode of a node that failed: opens its database again and watches the chain, on a connection of its own, for as
 * long as channels need it. When something prevents that, it tries again.
 */
import { type ChainConnection, connectChain } from '../chain/client.ts';
import { createReads } from '../chain/reads.ts';
import type { FatalKind, NodeParts, NodeSettings } from '../node/runtime/parts.ts';
import { startSafeMode } from '../node/safe-mode.ts';
import type { Stamp } from '../store/base/stamp.ts';
import type { Store } from '../store/store.ts';
import type { DiskRoom } from './database/disk-room.ts';
import { openDatabase } from './database/open-database.ts';
import { rewind } from './fork.ts';
import { type NoCallsAddress, serveNoCalls } from './serve-no-calls.ts';

export type SafeModeRequest = {
  settings: NodeSettings;
  parts: Omit<NodeParts, 'transport' | 'store' | 'onFatal' | 'client' | 'reads'>;
  /** Why the node failed, for people. */
  why: string;
  rpcUrl: string;
  database: string;
  stamp: Stamp;
  room: DiskRoom | null;
  /** Whether the database must stay as it is: what is written into it here would be missing in its replica. */
  isReplicated: boolean;
  /** The address of the API, where callers now learn that the node is in safe mode. */
  api: NoCallsAddress;
};
export type SafeModeRun = {
  /** Resolves when it is safe to end the process, when the database cannot be read, or after `stop`. */
  done: Promise<void>;
  /** Called with an uncaught error in this process: safe mode starts again from the disk. */
  fail(): void;
  stop(): Promise<void>;
};

/**
 * How a try has ended: `safe`: nothing is at stake any more; `again`: try again at once; `failed`: try again later;
 * `broken`: try again later without writing to the database; `unreadable`: the database cannot be opened or read.
 */
type End = 'safe' | 'again' | 'failed' | 'broken' | 'unreadable' | 'stopped';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const TELL_MS = 600_000;
/** After this many unreadable tries in a row safe mode gives up. */
const MOST_UNREADABLE = 6;

export function runSafeMode(request: SafeModeRequest): SafeModeRun {
  const { why, api, parts } = request;
  const { log, clock } = parts;
  let channels: number | null = null;
  /** Whether a commit has failed in safe mode, too: then only a copy in memory is used. */
  let isBroken = request.isReplicated;
  let isStopped = false;
  let interrupt: (end: End) => void = () => {};
  const reason = () => reasonOf(why, channels);

  async function tryOnce(): Promise<End> {
    const interrupted = new Promise<End>((resolve) => {
      interrupt = resolve;
    });
    if (isStopped) return 'stopped';
    try {
      return await protect({ ...request, isCopy: isBroken }, interrupted, {
        interrupt: (end) => interrupt(end),
        count: (left) => {
          channels = left;
        },
      });
    } catch (error) {
      log.error({ error: String(error) }, 'the channels cannot be guarded from this database');
      return 'unreadable';
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        endTimer();
        resolve();
      };
      const endTimer = clock.every(ms, wake);
      interrupt = (end) => end === 'stopped' && wake();
      if (isStopped) wake();
    });

  async function goOn(): Promise<void> {
    let unreadable = 0;
    let pauseMs = FIRST_PAUSE_MS;
    let wasAgain = false;
    for (let end = await tryOnce(); end !== 'safe' && end !== 'stopped'; end = await tryOnce()) {
      unreadable = end === 'unreadable' ? unreadable + 1 : 0;
      isBroken ||= end === 'broken';
      if (unreadable === MOST_UNREADABLE) return;
      // At once only the first time: a database that cannot be rewound to the fork would be tried without a pause.
      const isAtOnce = end === 'again' && !wasAgain;
      wasAgain = end === 'again';
      if (isAtOnce) continue;
      log.warn({ pauseMs }, 'safe mode was interrupted, and begins again from the disk');
      await pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  async function run(): Promise<void> {
    const tell = () => log.warn({}, `the node is in safe mode. ${reason()}`);
    tell();
    const endTelling = clock.every(TELL_MS, tell);
    const endServing = await serveNoCalls(api, {
      code: 'safe_mode',
      reason,
      onFailure: (error) =>
        log.warn({ error: String(error) }, 'nobody can be told over HTTP why no calls are taken'),
    });
    await goOn();
    endTelling();
    log.info({ channels }, 'safe mode ends');
    await endServing();
  }

  const done = run();
  return {
    done,
    fail: () => interrupt('failed'),
    async stop() {
      isStopped = true;
      interrupt('stopped');
      await done;
    },
  };
}

type Hooks = { interrupt(end: End): void; count(channels: number): void };

/** Guards the channels until that is over, fails, or is interrupted. Throws when the database has unreadable rows. */
async function protect(request: Try, interrupted: Promise<End>, hooks: Hooks): Promise<End> {
  const { rpcUrl, settings, parts, database, stamp, room, isCopy } = request;
  const onOtherChain = () => hooks.interrupt('failed');
  const connected = await connectChain({ rpcUrl, onOtherChain });
  if (!connected.ok) return 'failed';
  const connection = connected.value;
  try {
    // Another chain knows nothing of these channels.
    if (connection.chainId !== settings.chainId) return 'failed';
    const reserve = room === null ? {} : { reserve: room.reserve };
    const opened = openDatabase({ url: database, stamp, isCopy, ...reserve }, parts.log);
    if (!opened.ok) {
      parts.log.error({}, opened.message);
      return 'unreadable';
    }
    const { store } = opened;
    try {
      return await protectFrom({ ...request, connection, store }, interrupted, hooks);
    } finally {
      store.close();
    }
  } finally {
    connection.stop();
  }
}

type Try = SafeModeRequest & { isCopy: boolean };
type Opened = SafeModeRequest & { connection: ChainConnection; store: Store };

async function protectFrom(opened: Opened, interrupted: Promise<End>, hooks: Hooks): Promise<End> {
  const { settings, parts, connection, store, why, isReplicated } = opened;
  const { client } = connection;
  const { log, clock } = parts;
  const registry = settings.contracts.tokenNetworkRegistryAddress;
  await rewind({ log, client, settings, store });
  const safeMode = startSafeMode(settings, {
    ...parts,
    client,
    store,
    reads: createReads({ client, registry }),
    safeMode: { reason: why, isCloseHeld: isReplicated },
    onFatal: (_reason, _error, kind: FatalKind) =>
      hooks.interrupt(kind === 'replaced' ? 'again' : 'broken'),
  });
  const count = () => hooks.count(safeMode.channels());
  count();
  const endCounting = clock.every(FIRST_PAUSE_MS, count);
  const end = await Promise.race([safeMode.done.then((): End => 'safe'), interrupted]);
  endCounting();
  count();
  await safeMode.stop();
  return end;
}

function reasonOf(why: string, channels: number | null): string {
  const left = channels === null ? 'all channels' : `all channels (now ${channels})`;
  return (
    `It could not go on: ${why}. Until ${left} have left the chain, closes are answered, secrets registered ` +
    'and tokens fetched from the last state on disk, and nothing else is done. Mend the cause, then start the ' +
    'node again.'
  );
}
