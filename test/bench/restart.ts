/**
 * How long a node process takes from its start until it takes calls, and what memory it needs, with 10,000
 * open channels in its database; beside it a node without channels and the bare reading of the rows.
 */
import { report, round } from './report.ts';
import { measureRestarts } from './scale-restart.ts';

const CHANNELS = 10_000;

const [empty, full] = await measureRestarts([0, CHANNELS]);
if (empty === undefined || full === undefined) throw new Error('a start is missing');
report('restart', [
  { metric: 'start without channels', value: round(empty.ready), unit: 'ms' },
  {
    metric: `start with ${CHANNELS} channels`,
    value: round(full.ready),
    unit: 'ms',
    reference: round(empty.ready),
  },
  {
    metric: 'of it for the channels',
    value: round(full.readyCpu - empty.readyCpu),
    unit: 'CPU ms',
    reference: round(full.reading - empty.reading),
  },
  {
    metric: 'memory (resident)',
    value: round(full.memory / 1024),
    unit: 'MiB',
    reference: round(empty.memory / 1024),
  },
  {
    metric: 'memory for each channel',
    value: round((full.memory - empty.memory) / CHANNELS),
    unit: 'KiB',
  },
  { metric: 'GET /channels', value: round(full.listedCpu), unit: 'CPU ms' },
]);
