/** Runs the paywall until it is told to stop. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Address } from '../../basics/hex.ts';
import { messageOf } from '../../basics/message-of.ts';
import { openPaywall, type PaywallConfig } from '../../paywall/open-paywall.ts';
import {
  doubledIn,
  linesOf,
  parseRule,
  parseTerms,
  type Rule,
  type TabTerms,
} from '../../paywall/rules.ts';
import type { PaywallOptions } from '../options/paywall.ts';
import type { HandedOn } from '../options/settings.ts';
import { contentOf, privateContentOf } from '../process/files.ts';
import { dataFolder } from '../process/folders.ts';
import { type Found, found, wrong } from '../process/found.ts';
import { createLog } from '../process/log.ts';
import { announce, deferred, INTERRUPTED, onStopSignal, refuse } from '../process/terminal.ts';
import { tokenIn } from './token-file.ts';

/** The exit code. */
export async function runPaywall(options: PaywallOptions): Promise<number> {
  const { price, prices, tokenFile, keyFile, log: logOptions, address, ...rest } = options;
  const { tab, tabFile, tabIdle, ...others } = rest;
  const { decimals, ...handedOn } = others;
  handedOn satisfies HandedOn<typeof handedOn, PaywallConfig>;
  const rules = rulesOf(price, prices);
  if (!rules.ok) return refuse(rules.message);
  const terms = termsIn(tab);
  if (!terms.ok) return refuse(terms.message);
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
  try {
    const paywall = await openPaywall(
      {
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
              },
      },
      log,
    );
    isOpen = true;
    if (paywall.metricsPort !== null) log.info({ port: paywall.metricsPort }, 'serving metrics');
    announce(`ready: ${paywall.url}`);
    const code = await ending.promise;
    await paywall.stop();
    return code;
  } catch (error) {
    return refuse(messageOf(error));
  }
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
