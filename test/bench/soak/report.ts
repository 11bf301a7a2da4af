/** What a soak says while it runs, and at its end. */
import type { Contradiction } from './books.ts';
import type { Lives } from './channel-lives.ts';
import type { Buyer } from './payers.ts';
import type { Setting } from './setting.ts';
import type { Troubles } from './troubles.ts';

export type Counted = {
  setting: Setting;
  lives: Lives;
  troubles: Troubles;
  buyers: readonly Buyer[];
};

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

function figuresOf({ setting, lives, troubles, buyers }: Counted): [string, string | number][] {
  const payments = setting.recorder.payments();
  const told = (wanted: string) => payments.filter((one) => one.told === wanted).length;
  const longest = troubles.readyMs.reduce((most, ms) => Math.max(most, ms), 0);
  const events = new Map<string, number>();
  for (const { event } of lives.deeds) events.set(event, (events.get(event) ?? 0) + 1);
  return [
    ['payments', payments.length],
    ['paid', told('paid')],
    ['refused or failed', told('not paid')],
    ['without an answer', told('unknown')],
    ['sales', buyers.reduce((sum, buyer) => sum + buyer.bought(), 0)],
    ['channels opened', lives.opened],
    ['deposits', events.get('ChannelNewDeposit') ?? 0],
    ['withdraws', events.get('ChannelWithdraw') ?? 0],
    ['closes', events.get('ChannelClosed') ?? 0],
    ['settled', lives.settled],
    ['kills', troubles.kills],
    ['broker restarts', troubles.brokerRestarts],
    ['takeovers', troubles.takeovers],
    ['longest time to be ready again, s', seconds(longest)],
  ];
}

export function progress(counted: Counted, ms: number): string {
  const shown = ['paid', 'sales', 'channels opened', 'kills', 'broker restarts', 'takeovers'];
  const figures = figuresOf(counted).filter(([name]) => shown.includes(name));
  const words = figures.map(([name, value]) => `${name} ${value}`).join(', ');
  return `${Math.round(ms / 1_000)} s: ${words}; contradictions so far ${counted.setting.contradictions.length}`;
}

/** The table at the end, and each contradiction with the logs that say more. */
export function summary(counted: Counted, found: readonly Contradiction[]): string {
  const { logs } = counted.setting;
  const figures = figuresOf(counted);
  const width = Math.max(...figures.map(([name]) => name.length));
  const table = figures.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const told = found.flatMap(({ what, parties }) => [
    `CONTRADICTION: ${what}`,
    `  logs: ${['driver', ...parties.flatMap(logsOf)].map(logs.fileOf).join(' ')}`,
  ]);
  const verdict = found.length === 0 ? 'no contradictions' : `contradictions: ${found.length}`;
  return [...table, ...told, verdict].join('\n');
}

/** The hub has a log for each of its machines. */
const logsOf = (party: string): string[] => (party === 'hub' ? ['hub-1', 'hub-2'] : [party]);
