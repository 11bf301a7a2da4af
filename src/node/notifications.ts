/**
 * What the operator should do: looked for from time to time, on disk until it is read. Conditions and
 * thresholds: API decisions, GET notifications.
 */

import { wholeUnits } from '../protocol/amount.ts';
import type { Address } from '../protocol/hex.ts';
import type { Notification, NotificationId } from './api.ts';
import { gasReserve } from './gas-reserve.ts';
import { stateText } from './kinds.ts';
import type { Node } from './node.ts';
import { isNewer, readRelease } from './release.ts';
import { statesOf } from './walk.ts';

const CHECK_MS = 60_000;
/** Three hours. */
const CHECKS_PER_RELEASE = 180;
const LEAST_DEPOSIT = 55n * 10n ** 17n;

/** What was found out about one condition; a condition that could not be judged is left out. */
type Finding = { id: NotificationId; notification: Notification | null };

export function createNotifications(node: Node) {
  const { settings, own, reads, engine, store, log, clock } = node;
  /** Conditions of which the disk knows that they do not hold. */
  const knownOver = new Set<NotificationId>();
  let checks = 0;
  let running: Promise<void> | null = null;

  async function deposit(): Promise<Finding[]> {
    const contract = settings.contracts.userDepositAddress;
    if (contract === null) return [];
    const found = await reads.userDeposit(contract, own);
    if (!found.ok) return [];
    const { effectiveBalance } = found.value;
    const isLow = effectiveBalance < LEAST_DEPOSIT;
    return [{ id: 'low_rdn', notification: isLow ? lowDeposit(own, effectiveBalance) : null }];
  }

  async function gas(): Promise<Finding[]> {
    const [held, price] = await Promise.all([reads.nativeBalance(own), reads.gasPrice()]);
    if (!held.ok || !price.ok) return [];
    const wanted = gasReserve(await channelStates(), price.value);
    const isMissing = held.value < wanted;
    const notification = isMissing ? missingGas(own, held.value, wanted) : null;
    return [{ id: 'missing_gas_reserve', notification }];
  }

  /** The state words of all channels. */
  async function channelStates(): Promise<string[]> {
    const words: string[] = [];
    for await (const some of statesOf(node.actors, node.directory.ofToken(null)))
      words.push(...some.map(({ state }) => stateText(state.value)));
    return words;
  }

  async function release(): Promise<Finding[]> {
    if (settings.releaseFeed === null) return [];
    try {
      const { version, isSecurity } = await readRelease(settings.releaseFeed);
      const newer = isNewer(version, settings.version) ? version : null;
      const outdated = newer === null ? null : outdatedVersion(settings.version, newer);
      const insecure =
        newer === null || !isSecurity ? null : insecureVersion(settings.version, newer);
      return [
        { id: 'version_outdated', notification: outdated },
        { id: 'version_security_warning', notification: insecure },
      ];
    } catch (error) {
      log.warn({ error: String(error) }, 'the release feed cannot be read');
      return [];
    }
  }

  function note(findings: readonly Finding[]) {
    const raised = findings.map(({ notification }) => notification).filter((one) => one !== null);
    const over = findings
      .filter(({ id, notification }) => notification === null && !knownOver.has(id))
      .map(({ id }) => id);
    for (const { id } of raised) knownOver.delete(id);
    for (const id of over) knownOver.add(id);
    if (raised.length + over.length === 0) return;
    engine.turn([], (batch) => {
      batch.notifications.push(...raised);
      batch.over.push(...over);
    });
    engine.flush();
  }

  async function look(withRelease: boolean) {
    const asked = [deposit(), gas(), ...(withRelease ? [release()] : [])];
    note((await Promise.all(asked)).flat());
  }

  /** One look at a time: a chain that is slow to answer is not asked again meanwhile. */
  function begin(withRelease: boolean): Promise<void> {
    running ??= look(withRelease).finally(() => {
      running = null;
    });
    return running;
  }

  function tick() {
    const withRelease = checks % CHECKS_PER_RELEASE === 0;
    checks += 1;
    begin(withRelease).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'what the operator should know could not be looked up'),
    );
  }

  return {
    /** Looks now and then from here on; the answer ends it. */
    start(): () => void {
      const stop = clock.every(CHECK_MS, tick);
      tick();
      return stop;
    },
    /** Looks at everything now; resolves when what was found is on disk. */
    async check(): Promise<void> {
      await running;
      await begin(true);
    },
    /** All that were not read yet; from here on they are. */
    take(): Notification[] {
      engine.flush();
      return store.takeNotifications();
    },
  };
}

function lowDeposit(own: Address, held: bigint): Notification {
  const least = wholeUnits(LEAST_DEPOSIT, 'up');
  const missing = wholeUnits(LEAST_DEPOSIT - held, 'up');
  return {
    id: 'low_rdn',
    summary: 'The user deposit is low',
    body:
      `The user deposit of ${own} has ${wholeUnits(held, 'down')} service tokens left to pay services ` +
      `with; it should have at least ${least}.\nDeposit ${missing} more with POST /api/v1/user_deposit, ` +
      'or path finding and monitoring may end.',
    urgency: 'normal',
  };
}

function missingGas(own: Address, held: bigint, wanted: bigint): Notification {
  return {
    id: 'missing_gas_reserve',
    summary: 'The account has too little money for gas',
    body:
      `The account ${own} holds ${wholeUnits(held, 'down')} of the chain's currency. To close, settle ` +
      `and unlock its channels at the gas price of now, ${wholeUnits(wanted, 'up')} are needed.\n` +
      `Send it at least ${wholeUnits(wanted - held, 'up')}: without gas, the money in the channels ` +
      'cannot be protected.',
    urgency: 'normal',
  };
}

function outdatedVersion(own: string, newer: string): Notification {
  return {
    id: 'version_outdated',
    summary: `Version ${newer} is out`,
    body: `This node runs version ${own}.\nInstall version ${newer} and restart the node.`,
    urgency: 'normal',
  };
}

function insecureVersion(own: string, newer: string): Notification {
  return {
    id: 'version_security_warning',
    summary: `Version ${newer} mends a security problem`,
    body: `This node runs version ${own}, which is not safe.\nInstall version ${newer} now and restart the node.`,
    urgency: 'high',
  };
}
