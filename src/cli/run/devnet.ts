/** Runs a whole network on this machine until it is told to stop. */
import { readFileSync } from 'node:fs';
import type { Log } from '../../basics/environment.ts';
import { messageOf } from '../../basics/message-of.ts';
import { startDevnet } from '../../devnet/devnet.ts';
import { SHORT_TIMEOUTS } from '../../devnet/first-payment.ts';
import { guideText } from '../../devnet/guide.ts';
import { type NetworkFile, readNetworkFile } from '../../devnet/network-file.ts';
import type { DevnetOptions } from '../../devnet/options.ts';
import { warning } from '../../signer/ecdsa.ts';
import type { DevnetChoices } from '../options/devnet.ts';
import { LOG_LEVELS } from '../options/node-options.ts';
import type { HandedOn } from '../options/settings.ts';
import { createLog } from '../process/log.ts';
import { programOf, typedAs } from '../process/own-program.ts';
import { announce, deferred, INTERRUPTED, onStopSignal, refuse, say } from '../process/terminal.ts';
import { version } from '../process/version.ts';

/** The exit code. `main`: the file with which this program was started. */
export async function runDevnet({ log, ...others }: DevnetChoices, main: string): Promise<number> {
  const network = networkIn(others.networkFile);
  if (typeof network === 'string') return refuse(network);
  const options = optionsOf(others, network, main);
  const slow = warning();
  if (slow !== null) say(slow);
  const ending = deferred<number>();
  let hasEnded = false;
  let page: string | null = null;
  onStopSignal({
    stop: () => {
      say('Stopping everything');
      ending.resolve(0);
    },
    force: () => process.exit(INTERRUPTED),
  });
  const devnet = startDevnet(options, {
    say,
    logOf: (node, onLine) =>
      joined(
        createLog({ ...log, fields: { node } }),
        createLog({ level: 'info', isJson: false, write: onLine }),
      ),
    onLine: (name, line, level) => {
      if (level === null || LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(log.level))
        say(`[${name}] ${line}`);
    },
    onNodeEnded: (name, reason) => {
      if (hasEnded) return;
      say(`${name} ${reason}; the others go on`);
      if (page !== null) say(`  to start it again: ${startAgain(page, name)}`);
    },
    onTrouble: (reason) => {
      if (!hasEnded) ending.resolve(refuse(`${reason}: stopping everything`));
    },
  });
  devnet.ready.then(
    (ready) => {
      if (hasEnded) return;
      page = ready.inspector;
      const self = typedAs(process.argv[1] ?? 'sluice');
      announce(`${guideText({ ready, ...options, self })}\n\nReady. Ctrl-C stops everything.`);
    },
    (error: unknown) => {
      if (!hasEnded) ending.resolve(refuse(`the devnet does not start: ${messageOf(error)}`));
    },
  );
  const code = await ending.promise;
  hasEnded = true;
  await devnet.stop();
  return code;
}

/** Every entry in both logs. */
function joined(one: Log, other: Log): Log {
  const both = (level: keyof Log) => (entry: Record<string, unknown>, text: string) => {
    one[level](entry, text);
    other[level](entry, text);
  };
  return { info: both('info'), warn: both('warn'), error: both('error') };
}

/** The command that starts a node again. `page`: URL of the page that shows all nodes. */
function startAgain(page: string, name: string): string {
  return `curl -X POST ${new URL(`/devnet/nodes/${name}/start`, page)}`;
}

/** The network of the file; null: there is no file; a text: what is wrong with it. */
function networkIn(path: string | null): NetworkFile | null | string {
  if (path === null) return null;
  try {
    const read = readNetworkFile(readFileSync(path, 'utf8'));
    return read.ok ? read.value : `${path} is no network: ${read.message}`;
  } catch (error) {
    return `${path} cannot be read: ${messageOf(error)}`;
  }
}

function optionsOf(
  given: Omit<DevnetChoices, 'log'>,
  network: NetworkFile | null,
  main: string,
): DevnetOptions {
  const {
    hasProcesses,
    hasNoServices,
    givenSettleTimeout,
    givenRevealTimeout,
    networkFile: _,
    ...rest
  } = given;
  const handedOn = { ...rest, ...(network === null ? {} : ofNetwork(network)) };
  rest satisfies HandedOn<typeof rest, DevnetOptions>;
  const saved = network?.settings;
  const settle = givenSettleTimeout ?? (saved === undefined ? null : BigInt(saved.settle_timeout));
  const reveal = givenRevealTimeout ?? (saved === undefined ? null : BigInt(saved.reveal_timeout));
  const isChosen = settle !== null || reveal !== null;
  return {
    ...handedOn,
    version: version(),
    ...timeoutsOf(settle, reveal),
    openTimeouts: isChosen ? {} : SHORT_TIMEOUTS,
    program: hasProcesses ? programOf(main) : null,
    network,
    hasGates: true,
    hasServices: !hasNoServices,
  };
}

const ofNetwork = ({ nodes, settings }: NetworkFile) => ({
  nodes: nodes.length,
  blockTime: settings.block_seconds,
});

/** In blocks, short enough to wait for a settlement. What is not given fits to what is: two reveal timeouts are one settle timeout. */
function timeoutsOf(settle: bigint | null, reveal: bigint | null) {
  const most = (settle ?? 20n) / 2n;
  const revealTimeout = reveal ?? (most < 10n ? most : 10n);
  const least = 2n * revealTimeout;
  return { revealTimeout, settleTimeout: settle ?? (least > 20n ? least : 20n) };
}
