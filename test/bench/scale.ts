/**
 * How the costs of a node and of the path-finding service grow: the restart with up to 100,000 channels, a mediated
 * payment of a hub with up to 1,000 partners, a path search and the service's start with up to 50,000 channels.
 * Prints tables and writes a picture. What a processor does is measured as CPU time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Curve, printGrowth } from './growth.ts';
import { plotOf } from './growth-plot.ts';
import { drawRequests, loadNetwork, quantile, timesOf } from './path-search.ts';
import { type Measured, report, round } from './report.ts';
import { CHANNELS_OF_A_NEW_NODE, channelsOfNetwork } from './scale-free.ts';
import { type HubRow, measureHubs } from './scale-hub.ts';
import { measureRestarts, type RestartRow } from './scale-restart.ts';
import { fillService, medianOf } from './service-start.ts';

const CHANNELS = [1_000, 10_000, 100_000];
const PARTNERS = [10, 100, 1_000];
const NETWORKS = [5_000, 20_000, 50_000];
const REQUESTS = 2_000;
const FOLDER = 'dist/bench';

/** What the project wants to hold, in the unit of the row. */
const AIMS = { restart: 4_000, memory: 10, search: 0.4, service: 2_000 };

type NetworkRow = { channels: number; search: number; start: number; reading: number };

function measureNetworks(sizes: readonly number[]): NetworkRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    return sizes.map((size) => {
      const nodes = size / CHANNELS_OF_A_NEW_NODE;
      const channels = channelsOfNetwork(nodes);
      const network = loadNetwork(channels);
      const times = timesOf(drawRequests(network, nodes, REQUESTS), network.paths);
      const url = `file:${join(folder, `${size}.db`)}`;
      fillService(url, channels);
      const [start, reading] = [medianOf(url, 'book'), medianOf(url, 'rows')];
      return { channels: size, search: quantile(times, 0.5), start, reading };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function restartCurves(empty: RestartRow, rows: readonly RestartRow[]): Curve[] {
  const curve = (name: string, unit: string, costOf: (row: RestartRow) => number): Curve => ({
    name,
    unit,
    counted: 'channels',
    points: rows.map((row) => ({ size: row.channels, cost: costOf(row) })),
  });
  return [
    curve('restart, for the channels', 'CPU ms', (row) => row.readyCpu - empty.readyCpu),
    curve('bare reading of their rows', 'CPU ms', (row) => row.reading),
    curve('memory for the channels', 'KiB', (row) => row.memory - empty.memory),
    curve('GET /channels', 'CPU ms', (row) => row.listedCpu),
  ];
}

function hubCurves(rows: readonly HubRow[]): Curve[] {
  const curve = (name: string, unit: string, costOf: (row: HubRow) => number): Curve => ({
    name,
    unit,
    counted: 'partners',
    points: rows.map((row) => ({ size: row.partners, cost: costOf(row) })),
  });
  return [
    curve('hub, for a mediated payment', 'CPU µs', ({ spent }) => spent),
    curve('hub without payments', 'CPU ms/s', ({ idle }) => idle),
  ];
}

function networkCurves(rows: readonly NetworkRow[]): Curve[] {
  const curve = (name: string, costOf: (row: NetworkRow) => number): Curve => ({
    name,
    unit: 'CPU ms',
    counted: 'channels',
    points: rows.map((row) => ({ size: row.channels, cost: costOf(row) })),
  });
  return [
    curve('path search, median', ({ search }) => search),
    curve('start of the path-finding service', ({ start }) => start),
  ];
}

/** What was measured at the largest sizes, beside the aim where there is one. */
function largest(
  empty: RestartRow,
  { channels, ...restart }: RestartRow,
  hubs: readonly HubRow[],
  network: NetworkRow,
): Measured[] {
  const bytes = ((restart.memory - empty.memory) * 1_024) / channels;
  const cpu = round(restart.readyCpu);
  return [
    {
      metric: `start with ${channels} channels`,
      value: round(restart.ready),
      unit: 'ms',
      reference: AIMS.restart,
    },
    { metric: 'CPU time of it', value: cpu, unit: 'CPU ms', reference: AIMS.restart },
    {
      metric: 'memory for each channel',
      value: round(bytes / 1_000),
      unit: 'kB',
      reference: AIMS.memory,
    },
    ...hubs.map(({ partners, waiting, rate }) => ({
      metric: `hub, ${partners} partners, ${waiting} messages wait`,
      value: round(rate),
      unit: 'payments/s',
      reference: round(hubs[0]?.rate ?? rate),
    })),
    {
      metric: `path search, ${network.channels} channels`,
      value: round(network.search),
      unit: 'CPU ms',
      reference: AIMS.search,
    },
    {
      metric: `service start, ${network.channels} channels`,
      value: round(network.start),
      unit: 'CPU ms',
      reference: AIMS.service,
    },
  ];
}

const networks = measureNetworks(NETWORKS);
const [empty, ...restarts] = await measureRestarts([0, ...CHANNELS]);
const hubs = await measureHubs(PARTNERS);
const [full, network] = [restarts.at(-1), networks.at(-1)];
if (empty === undefined || full === undefined || network === undefined)
  throw new Error('nothing was measured');
const curves = [...restartCurves(empty, restarts), ...hubCurves(hubs), ...networkCurves(networks)];
report('scale', largest(empty, full, hubs, network));
printGrowth(curves);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'scale.svg'), plotOf(curves));
console.log(
  `the references are the aims, and for the hubs the smallest one; drawn in ${FOLDER}/scale.svg`,
);
