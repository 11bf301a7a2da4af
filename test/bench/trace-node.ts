/**
 * `sluice node` that notes the time at each of its fault points, and at both ends of each POST, and writes them into the
 * file that `TRACE_FILE` names when it ends.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Command, CommanderError } from 'commander';
import { NODE_OPTIONS } from '../../src/cli/options/node-options.ts';
import { actWith } from '../../src/cli/options/settings.ts';
import { LateCommand } from '../../src/cli/process/late-command.ts';
import { runNode } from '../../src/cli/run/node.ts';
import { microsecondsNow, type Noted } from './trace-table.ts';

const noted: Noted[] = [];

function note(point: string): void {
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  noted.push({ point, at: microsecondsNow(), round: loopCount });
}

function noteCall(point: string): (message: unknown) => void {
  const isPost = (message: unknown): message is { request: IncomingMessage } =>
    typeof message === 'object' && message !== null && 'request' in message;
  return (message) => {
    if (isPost(message) && message.request.method === 'POST') note(point);
  };
}

subscribe('http.server.request.start', noteCall('HTTP in'));
subscribe('http.server.response.finish', noteCall('HTTP out'));
process.on('exit', () => {
  writeFileSync(process.env['TRACE_FILE'] ?? '/dev/null', JSON.stringify(noted));
});

const node = new LateCommand('node');
actWith(node, NODE_OPTIONS, (options) => runNode(options, note));
try {
  await new Command('trace').exitOverride().addCommand(node.exitOverride()).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exit(error.exitCode);
}
