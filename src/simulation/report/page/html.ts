/** The report of one run as an HTML page of drawings and tables. */
import { keyFigures } from '../results/figures.ts';
import type { RunResult } from '../results/result.ts';
import { sayCount, sayLatency, saySpan, sayText } from '../results/said.ts';
import { failuresPanel, gasPanel, messagesPanel } from './bars.ts';
import { cumulativePanel, slackPanel } from './distributions.ts';
import { shown, spoken } from './figure.ts';
import {
  expectationsPanel,
  faultPointsPanel,
  faultsPanel,
  invariantsPanel,
  nodesPanel,
} from './lists.ts';
import { mapPanel } from './map.ts';
import { type Markup, markup } from './markup.ts';
import { coursePanels, successPanel } from './over-time.ts';
import { chapter, writePage } from './page.ts';
import { verdictPanel, violationPanel } from './verdict.ts';

const WITHIN_BLOCKS = {
  of: 'latency_blocks',
  title: 'Latency: payments that arrived within so many blocks',
  unit: 'blocks',
  say: sayLatency,
};
const WITHIN_MESSAGES = {
  of: 'latency_messages',
  title: 'Effort: payments that took at most so many messages',
  unit: 'messages',
  say: (of: string, value: number) => sayCount(of, value, 'message'),
};

/** The whole file. The same result gives the same text. */
export function writeHtml(result: RunResult): string {
  const { latencyBlocks, latencyMessages } = result.histograms;
  const { started, locks, imbalance, capacity } = coursePanels(result);
  return writePage({
    title: `${result.scenario.title}: simulation report`,
    subtitle: 'simulation',
    facts: factsOf(result),
    content: [
      verdictPanel(result),
      figureTiles(result),
      chapter('What was expected', [
        violationPanel(result),
        expectationsPanel(result),
        invariantsPanel(result),
      ]),
      chapter('Payments', [
        successPanel(result),
        cumulativePanel(WITHIN_BLOCKS, latencyBlocks),
        cumulativePanel(WITHIN_MESSAGES, latencyMessages),
        started,
        failuresPanel(result),
      ]),
      chapter('The network', [mapPanel(result), imbalance, capacity]),
      chapter('Safety', [slackPanel(result), locks, faultsPanel(result), faultPointsPanel(result)]),
      chapter('Costs', [gasPanel(result), messagesPanel(result)]),
      chapter('All nodes', [nodesPanel(result)]),
    ],
  });
}

function factsOf({ scenario, seed, commit, trace, steps, virtualMs }: RunResult) {
  const known = [
    { name: 'Scenario', value: sayText('run/scenario', scenario.name) },
    { name: 'Seed', value: sayText('run/seed', `${seed}`) },
    { name: 'Steps', value: sayCount('run/steps', steps) },
    { name: 'Time', value: saySpan('run/time', virtualMs) },
    { name: 'Trace', value: sayText('run/trace', trace, trace.slice(0, 12)) },
  ];
  const program = { name: 'Program', value: sayText('run/program', commit ?? '') };
  return commit === null ? known : [...known, program];
}

function figureTiles(result: RunResult): Markup {
  const tiles = keyFigures(result).map(({ name, said, note }) => {
    const text = said === null ? '–' : shown(said);
    return markup`<div class="tile"><dt>${name}</dt><dd>${text}<small>${spoken(note)}</small></dd></div>`;
  });
  return markup`<dl class="tiles">${tiles}</dl>`;
}
