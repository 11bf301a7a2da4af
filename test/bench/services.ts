/**
 * What CPU time the path-finding service takes until it knows 50,000 channels of 10,000 nodes from its database,
 * with what both sides of each said of it; beside it the bare reading of the same rows.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report, round } from './report.ts';
import { channelsOfNetwork } from './scale-free.ts';
import { fillService, medianOf } from './service-start.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-services-'));
try {
  const url = `file:${join(folder, 'pathfinding.db')}`;
  const channels = channelsOfNetwork();
  fillService(url, channels);
  const reading = round(medianOf(url, 'rows'));
  const value = round(medianOf(url, 'book'));
  const metric = `start with ${channels.length} channels, beside reading the rows`;
  report('services', [{ metric, value, unit: 'ms of CPU', reference: reading }]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
