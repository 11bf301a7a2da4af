/** How a run ended, in one sentence and in one panel. */
import { honestLoss } from '../results/figures.ts';
import { nameOf } from '../results/numbers.ts';
import type { RunResult, Verdict } from '../results/result.ts';
import { type Said, sayAmount, sayBlock, sayCount, sayText, type Words } from '../results/said.ts';
import { shown, spoken } from './figure.ts';
import { type Markup, markup } from './markup.ts';

const MARKS = {
  passed: { mark: '✓', word: 'Passed', ink: 'good' },
  failed: { mark: '✗', word: 'Failed', ink: 'bad' },
  stopped: { mark: '■', word: 'Stopped', ink: 'warning' },
} satisfies Record<Verdict, { mark: string; word: string; ink: string }>;

/** E.g. "4,812 of 4,900 payments arrived; nobody honest lost anything." */
export function headline(result: RunResult): Words {
  const { verdict, violation, expectations, payments } = result;
  const arrived = [
    ...[sayCount('payments/succeeded', payments.succeeded), ' of '],
    ...[sayCount('payments/started', payments.started, 'payment'), ' arrived'],
  ];
  const end = ['; ', ...lossWords(result), '.'];
  if (violation !== null) {
    const block = sayBlock('violation/block', violation.block);
    return [`The rule “${violation.invariant}” broke in block `, block, ...end];
  }
  const missed = expectations.filter(({ isMet }) => !isMet).length;
  if (verdict === 'failed' && missed > 0) {
    return [
      ...[sayCount('expectations/missed', missed, 'expectation'), ' of '],
      ...[sayCount('expectations/count', expectations.length)],
      ...[` ${missed === 1 ? 'was' : 'were'} not met: `, ...arrived, ...end],
    ];
  }
  const until = verdict === 'stopped' ? 'Stopped before its end: ' : '';
  return [until, ...arrived, ...end];
}

function lossWords(result: RunResult): Words {
  const lost = honestLoss(result);
  if (lost === 0n) return ['nobody honest lost anything'];
  const losers = result.nodes.filter(({ isHonest, loss }) => isHonest && loss > 0n).length;
  return [
    ...[sayCount('nodes/losers', losers, 'honest node'), ' lost '],
    sayAmount('nodes/honest_loss', lost, result.token),
  ];
}

export function verdictPanel(result: RunResult): Markup {
  const { mark, word, ink } = MARKS[result.verdict];
  const { title, description } = result.scenario;
  const about = description === '' ? null : markup`<p class="quiet">${description}</p>`;
  return markup`<section class="verdict ${ink}"><p class="verdict-word"><span aria-hidden="true">${mark}</span> ${word}</p><h1>${spoken(headline(result))}</h1><p>${title}</p>${about}</section>`;
}

/** The violated rule, with where and for whom; null when none was violated. */
export function violationPanel({ violation, nodes, token }: RunResult): Markup | null {
  if (violation === null) return null;
  const { invariant, step, block, node, lost, text, lastEvents } = violation;
  const facts: { name: string; value: string | Said }[] = [
    { name: 'Rule', value: invariant },
    { name: 'Step', value: sayCount('violation/step', step) },
    { name: 'Block', value: sayBlock('violation/block', block) },
    { name: 'Where', value: nameOf(nodes, node) },
    {
      name: 'Lost',
      value: lost === null ? 'nothing that was measured' : sayAmount('violation/lost', lost, token),
    },
  ];
  const list = facts.map(
    ({ name, value }) =>
      markup`<div><dt>${name}</dt><dd>${typeof value === 'string' ? value : shown(value)}</dd></div>`,
  );
  const events = lastEvents.map((event) => markup`<li><code>${event}</code></li>`);
  const before =
    events.length === 0
      ? null
      : markup`<h4>What happened before, the newest last</h4><ol class="events">${events}</ol>`;
  return markup`<section class="pane whole violation"><header><h3>What went wrong</h3></header><p class="violation-text">${shown(sayText('violation/text', text, text))}</p><dl class="facts">${list}</dl>${before}</section>`;
}
