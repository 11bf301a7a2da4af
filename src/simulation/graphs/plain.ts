/** Reads plain CSV: the list of channels that scenarios import, in which two nodes may have several channels. */
import { channelOf } from '../scenario/importing/channel-list.ts';
import { createCsvRows } from '../scenario/importing/channel-rows.ts';
import { tokenUnits } from '../scenario/numbers/quantities.ts';
import { DEFAULT_TOKEN } from '../scenario/schema/network.ts';
import { createProblems, type Graph, type GraphResult, type Pieces } from './graph.ts';
import { linesOf } from './lines.ts';

export async function readPlainCsv(pieces: Pieces): Promise<GraphResult> {
  const problems = createProblems();
  const units = tokenUnits(DEFAULT_TOKEN.decimals);
  const channels: Graph['channels'] = [];
  const names = new Set<string>();
  const reader = createCsvRows();
  for await (const lines of linesOf(pieces)) {
    for (const line of lines) {
      problems.count();
      reader.line(line);
    }
    const { rows, problems: found } = reader.rows;
    for (const problem of found.splice(0)) problems.add(problem);
    for (const row of rows.splice(0)) {
      const channel = channelOf(row, units);
      if (typeof channel === 'string') problems.add(`${row.place}: ${channel}`);
      else {
        channels.push(channel);
        names.add(channel.a).add(channel.b);
      }
    }
    if (problems.isFull()) break;
  }
  return problems.resultOf({ nodes: names.size, channels, token: DEFAULT_TOKEN, notes: [] });
}
