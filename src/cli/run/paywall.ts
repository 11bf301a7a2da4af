/** Runs the paywall until it is told to stop, or another one sells in its place. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import { messageOf } from '../../basics/message-of.ts';
import { isFenced } from '../../host/base/refusal.ts';
import {
  type OpenPaywall,
  openPaywall,
  type PaywallConfig,
  replicatedPaywall,
} from '../../paywall/open-paywall.ts';
import {
  doubledIn,
  linesOf,
  parseRule,
  parseTerms,
  type Rule,
  type TabTerms,
} from '../../paywall/rules.ts';
import type { TabStream, Taking } from '../../paywall/tab-replica.ts';
import { brokerAccess, missingForStream } from '../options/broker-access.ts';
import type { PaywallOptions } from '../options/paywall.ts';
import type { HandedOn } from '../options/settings.ts';
import { contentOf, privateContentOf } from '../process/files.ts';
import { dataFolder } from '../process/folders.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { createLog } from '../process/log.ts';
import { announce, deferred, INTERRUPTED, onStopSignal, refuse } from '../process/terminal.ts';
import { version } from '../process/version.ts';
import { FENCED, standByThenRun } from '../standby.ts';
import { type OpenedProgram, refuseStart, stopInTime } from './program.ts';
import { tokenIn } from './token-file.ts';

const FENCED_ADVICE =
  'the paywall ends at once, and takes no ticket more: the other one goes on from where this one was. Start this one with --standby, and it follows';

/** The exit code. */
export async function runPaywall(options: PaywallOptions): Promise<number> {
  const { price, prices, tokenFile, keyFile, log: logOptions, address, ...rest } = options;
  const { tab, tabFile, tabIdle, leaveStream, ...others } = rest;
  const { decimals, nats, brokerFiles, stream: name, standby, ...handedOn } = others;
  handedOn satisfies HandedOn<typeof handedOn, PaywallConfig>;
  const rules = rulesOf(price, prices);
  if (!rules.ok) return refuse(rules.message);
  const terms = termsIn(tab);
  if (!terms.ok) return refuse(terms.message);
  const stream = streamIn({ nats, brokerFiles, name, standby }, terms.value.size > 0);
  if (!stream.ok) return refuse(stream.message);
  const token = tokenIn(tokenFile);
  if (!token.ok) return refuse(token.message);
  const key = keyIn(keyFile ?? join(dataFolder(), 'paywall.key'));
  if (!key.ok) return refuse(key.message);
  const log = createLog(logOptions);
  const ending = deferred<number>();
  let isOpen = false;
  onStopSignal({
    stop: () => (isOpen ? ending.resolve(0) : process.exit(INTERRUPTED)),
    force: () => process.exit(INTERRUPTED),
  });
  const config: PaywallConfig = {
    ...handedOn,
    ...address,
    decimals: decimals ?? new Map(),
    rules: rules.value,
    token: token.value === '' ? null : token.value,
    key: key.value,
    tabs:
      terms.value.size === 0
        ? null
        : {
            file: tabFile ?? join(dataFolder(), 'paywall-tabs.db'),
            terms: terms.value,
            idleSeconds: tabIdle,
            leaveStream,
          },
  };
  try {
    const opened = await open(config, stream.value, { log, end: ending.resolve });
    if (!opened.ok) return refuseStart(opened);
    isOpen = true;
    const code = await ending.promise;
    await opened.value.stop();
    return code;
  } catch (error) {
    return refuse(messageOf(error));
  }
}

type Standby = { isStandby: boolean; takeoverAfterMs: number };
type Replicating = { stream: TabStream; standby: Standby };
type Hooks = {
  log: Log;
  /** Ends the program with this exit code. */
  end(code: number): void;
};

/** Throws with what a person can do. */
async function open(
  config: PaywallConfig,
  replicating: Replicating | null,
  { log, end }: Hooks,
): Promise<OpenedProgram> {
  const { tabs } = config;
  if (replicating === null || tabs === null) {
    const paywall = await openPaywall(config, log);
    tellReady(paywall, log);
    return found({ stop: paywall.stop });
  }
  const { stream, standby } = replicating;
  const { isStandby, takeoverAfterMs } = standby;
  const replicated = await replicatedPaywall({ ...config, tabs }, stream, log);
  const begin = async (taking: Taking): Promise<OpenedProgram> => {
    const opened = await replicated.open(taking, (reason, isOrdered) => {
      log[isOrdered ? 'warn' : 'error']({ reason }, FENCED_ADVICE);
      end(FENCED);
    });
    if (!opened.ok) return isFenced(opened) ? { ...opened, code: FENCED } : opened;
    tellReady(opened.value, log);
    const { value } = opened;
    // What a stream lacks that is away is sent after the next start.
    return found({ stop: () => stopInTime(value) });
  };
  if (!isStandby) return begin({ takesFrom: null, isOrdered: false });
  const follow: Parameters<typeof standByThenRun>[0]['follow'] = (waiting) =>
    replicated.follow({ ...waiting, takeoverAfterMs });
  return found(standByThenRun({ stream: stream.name, log, end, follow, begin }));
}

function tellReady({ url, metricsPort }: OpenPaywall, log: Log): void {
  if (metricsPort !== null) log.info({ port: metricsPort }, 'serving metrics');
  announce(`ready: ${url}`);
}

type Chosen = Pick<PaywallOptions, 'nats' | 'brokerFiles' | 'standby'> & { name: string | null };

function streamIn(
  { nats, brokerFiles, name, standby }: Chosen,
  hasTabs: boolean,
): Found<Replicating | null> {
  const access = brokerAccess(nats, brokerFiles);
  if (!access.ok) return access;
  const missing = missingForStream({ stream: name, nats, isStandby: standby.isStandby });
  if (missing !== null) return wrong(missing);
  if (name === null || nats === null) return found(null);
  if (!hasTabs) return wrong('--replicate needs --tab: nothing else is kept in the stream');
  return found({ stream: { name, nats, ...access.value, version: version() }, standby });
}

function rulesOf(given: readonly string[], prices: string | null): Found<readonly Rule[]> {
  const file = prices === null ? found('') : contentOf(prices, '--prices');
  if (!file.ok) return file;
  const texts = [...given, ...linesOf(file.value)];
  if (texts.length === 0) return wrong('nothing has a price: give --price "GET /v1/* 0.0001 0x…"');
  const parsed = texts.map(parseRule);
  const bad = parsed.find((one) => !one.ok);
  if (bad?.ok === false) return bad;
  const rules = parsed.flatMap((one) => (one.ok ? [one.value] : []));
  const doubled = doubledIn(rules);
  return doubled === null
    ? found(rules)
    : wrong(`another rule is for the same calls as "${doubled}"`);
}

function termsIn(given: readonly string[]): Found<ReadonlyMap<Address, TabTerms>> {
  const terms = new Map<Address, TabTerms>();
  for (const text of given) {
    const parsed = parseTerms(text);
    if (!parsed.ok) return wrong(parsed.message);
    if (terms.has(parsed.value.token)) return wrong(`--tab "${text}": the token has terms already`);
    terms.set(parsed.value.token, parsed.value);
  }
  return found(terms);
}

/** Offers that were made before a start are good after it. */
function keyIn(file: string): Found<string> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere) return wrong(`the key of offers cannot be kept: ${String(error)}`);
  }
  const content = privateContentOf(file, '--key-file');
  if (!content.ok) return content;
  const key = content.value.trim();
  return /^[0-9a-f]{64}$/i.test(key)
    ? found(key)
    : wrong(`${file} holds no key of 64 hexadecimal digits`);
}
