/** The report of one run as an HTML page of drawings and tables. */
import { groupDigits } from '../../../basics/digits.ts';
import { keyFigures } from '../results/figures.ts';
import { duration } from '../results/numbers.ts';
import type { RunResult } from '../results/result.ts';
import { failuresPanel, gasPanel, messagesPanel } from './bars.ts';
import { cumulativePanel, slackPanel } from './distributions.ts';
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

const WITHIN_BLOCKS = 'Latency: payments that arrived within so many blocks';
const WITHIN_MESSAGES = 'Effort: payments that took at most so many messages';

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
        cumulativePanel(WITHIN_BLOCKS, 'block', latencyBlocks),
        cumulativePanel(WITHIN_MESSAGES, 'message', latencyMessages),
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
    { name: 'Scenario', value: scenario.name },
    { name: 'Seed', value: `${seed}` },
    { name: 'Steps', value: groupDigits(steps) },
    { name: 'Time', value: duration(virtualMs) },
    { name: 'Trace', value: trace.slice(0, 12) },
  ];
  return commit === null ? known : [...known, { name: 'Program', value: commit }];
}

function figureTiles(result: RunResult): Markup {
  const tiles = keyFigures(result).map(({ name, value, write, note }) => {
    const text = value === null ? '–' : write(value);
    return markup`<div class="tile"><dt>${name}</dt><dd>${text}<small>${note}</small></dd></div>`;
  });
  return markup`<dl class="tiles">${tiles}</dl>`;
}
