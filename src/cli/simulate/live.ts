/** `sluice simulate … --live`: runs a scenario on real processes, and compares it with its simulation. */

import { MAX_UINT256 } from '../../basics/amount.ts';
import { messageOf } from '../../basics/message-of.ts';
import { CONFIRMATIONS } from '../../devnet/chain/confirmations.ts';
import { type Devnet, startDevnet } from '../../devnet/devnet.ts';
import type { ReadyFile } from '../../devnet/ready-file.ts';
import { QUEUE_SECONDS } from '../../http/queue/gate.ts';
import { driveLive } from '../../simulation/live/drive.ts';
import { liveScenario } from '../../simulation/live/live-scenario.ts';
import type { LiveNetwork, LiveNode } from '../../simulation/live/network.ts';
import { withPayloads } from '../../simulation/live/result.ts';
import { writeJson } from '../../simulation/report/json.ts';
import { percent } from '../../simulation/report/results/numbers.ts';
import type { RunResult } from '../../simulation/report/results/result.ts';
import { MIX, mixScenario } from '../../simulation/run/mix/mix.ts';
import { mean } from '../../simulation/run/summary.ts';
import { nodeCount } from '../../simulation/scenario/checks.ts';
import { type Scenario, USUAL } from '../../simulation/scenario/schema/schema.ts';
import type { Stopper } from '../../simulation/workers/stopper.ts';
import { createLog } from '../process/log.ts';
import { programOf } from '../process/own-program.ts';
import { INTERRUPTED, refuse, say } from '../process/terminal.ts';
import { version } from '../process/version.ts';
import { figureRows } from './compare.ts';
import type { Given } from './given.ts';
import { badUsage, counted, tableLines, write } from './output.ts';
import { createProgressLine } from './progress.ts';
import { saved, stopperOfSignals, watchedRun } from './run.ts';
import { exitCodeOf } from './verdict.ts';

/** `blockTime`: seconds between blocks of the real chain. `main`: the file with which this program was started. */
export type Live = { seed: number; out: string | null; blockTime: number; main: string };

/** Most nodes of a live run: each is a process on this machine. */
const MOST_NODES = 50;
/** Payments that a node may have under way at a time; a simulated node has no limit. */
const AT_ONCE = 100;
const LOOK_MS = 200;
const LONGEST_SETTLE_TIMEOUT = 100_000n;

/** The exit code. */
export async function live(given: Given, { seed, out, blockTime, main }: Live): Promise<number> {
  const { source, place } = given;
  const asked = source.kind === MIX ? mixScenario(seed) : source.scenario;
  const { scenario, left } = liveScenario(asked, { blockTime, confirmations: CONFIRMATIONS });
  const nodes = nodeCount(scenario);
  if (nodes > MOST_NODES)
    return badUsage([
      `${place} has ${counted(nodes, 'node')}: --live runs at most ${MOST_NODES}, each in a process of its own`,
    ]);
  if (left.length > 0) say(`left out, on both sides: ${left.join('; ')}`);
  const stopper = stopperOfSignals('there will be nothing to compare');
  const result = await onDevnet({ scenario, seed, nodes, main, stopper });
  if (stopper.isStopped()) return INTERRUPTED;
  if (typeof result === 'string') return refuse(`the scenario does not run live: ${result}`);
  say('running its simulation');
  const outcome = await watchedRun({ kind: 'scenario', scenario }, seed, stopper);
  if (stopper.isStopped()) return INTERRUPTED;
  if (outcome.result === null) return refuse(outcome.summary.violation?.text ?? 'it failed');
  const simulated = withPayloads(outcome.result);
  write(
    tableLines([
      ['', 'live', 'simulated'],
      ...figureRows(result, simulated),
      balancesRow(result, simulated),
    ]),
  );
  const files = [
    { name: 'live.json', text: writeJson(result) },
    { name: 'simulated.json', text: writeJson(outcome.result) },
  ];
  if (out !== null && !saved(out, files)) return 2;
  for (const { text } of result.expectations) write([`live, not as expected: ${text}`]);
  write([`live: ${result.verdict}; simulated: ${simulated.verdict}, trace ${simulated.trace}`]);
  return exitCodeOf(result.verdict) || exitCodeOf(simulated.verdict);
}

type OnDevnet = {
  scenario: Scenario;
  seed: number;
  nodes: number;
  main: string;
  stopper: Stopper;
};

/** The result, or text that says why there is none. */
async function onDevnet(options: OnDevnet): Promise<RunResult | string> {
  const { scenario, seed, nodes, main, stopper } = options;
  const troubles: string[] = [];
  const devnet = startDevnet(
    {
      version: version(),
      nodes,
      apiPort: 0,
      apiConcurrency: AT_ONCE,
      apiQueueSeconds: QUEUE_SECONDS,
      concurrentReads: true,
      blockTime: scenario.chain.blockTime,
      data: null,
      nats: null,
      settleTimeout: scenario.defaults.settleTimeout ?? USUAL.settleTimeout,
      revealTimeout: scenario.defaults.revealTimeout ?? USUAL.revealTimeout,
      contracts: {
        maxTokenNetworks: MAX_UINT256,
        settleTimeoutMin: 2n,
        settleTimeoutMax: LONGEST_SETTLE_TIMEOUT,
      },
      hasGates: false,
      program: programOf(main),
      isOpen: false,
      openTimeouts: {},
      hasServices: false,
      hasPaywall: false,
      readyFile: null,
      network: null,
    },
    {
      say,
      logOf: (node) => createLog({ level: 'warn', isJson: false, fields: { node } }),
      onLine: (name, line, level) => {
        if (level !== 'info') say(`[${name}] ${line}`);
      },
      onNodeEnded: (name, reason) => void troubles.push(`${name} ${reason}`),
      onTrouble: (reason) => void troubles.push(reason),
    },
  );
  const line = createProgressLine();
  try {
    const ready = await readyOf(devnet, stopper);
    say(`all nodes: ${ready.inspector}`);
    const processes = devnet.nodes().flatMap(({ process, stop, start, ...node }) => {
      return process === null ? [] : [{ ...node, process: { ...process, stop, start } }];
    });
    const blocks = Number(scenario.run.blocks);
    const result = await driveLive({
      scenario,
      seed,
      network: networkOf(ready, processes),
      say,
      onBlock: (block) => line.show(block / blocks, `block ${block} of ${blocks}`),
      isStopped: () => stopper.isStopped() || troubles.length > 0,
    });
    return troubles.length > 0 ? troubles.join('; ') : result;
  } catch (error) {
    return [...troubles, messageOf(error)].join('; ');
  } finally {
    line.clear();
    say('Stopping the processes');
    await devnet.stop();
  }
}

/** Waits until the devnet is ready; rejects when a signal stops it meanwhile. */
async function readyOf(devnet: Devnet, stopper: Stopper): Promise<ReadyFile> {
  const look = setInterval(() => {
    if (stopper.isStopped()) void devnet.stop();
  }, LOOK_MS);
  try {
    return await devnet.ready;
  } finally {
    clearInterval(look);
  }
}

function networkOf({ chain, nats, contracts, tokens }: ReadyFile, nodes: LiveNode[]): LiveNetwork {
  const [token] = tokens;
  if (nats === null || token === undefined) throw new Error('the devnet has no broker or no token');
  return {
    rpc: chain.rpc,
    chainId: chain.chainId,
    nats,
    token: token.address,
    nodes,
    tokenNetworkRegistry: contracts.token_network_registry_address,
  };
}

/** How far the balances at the end differ, as a share of what is in the channel: the mean over all channels. */
function balancesRow({ channels }: RunResult, simulated: RunResult): string[] {
  const ends = new Map(simulated.channels.map(({ a, b, endA }) => [`${a} ${b}`, endA]));
  const shares = channels.flatMap(({ a, b, endA, endB }) => {
    const other = ends.get(`${a} ${b}`);
    if (other === undefined || endA + endB === 0n) return [];
    return [Math.abs(Number(((endA - other) * 1_000_000n) / (endA + endB))) / 1_000_000];
  });
  const apart = mean(shares);
  return ['Balances at the end', apart === null ? '-' : `${percent(apart)} apart`, ''];
}
