/** Each thing that a node keeps, broken: the table, `/readyz`, `GET /health` and the metrics say so, and nothing else. */
import { describe, expect, it } from 'vitest';
import { createRows } from '../../../src/basics/health.ts';
import { createApp } from '../../../src/http/app.ts';
import { createMetrics } from '../../../src/http/metrics.ts';
import { createGasBudgets, gasBudgetsOf } from '../../../src/node/chain/gas/gas-budgets.ts';
import type { CheckId } from '../../../src/node/health/check.ts';
import { readiness, troublesOf } from '../../../src/node/health/rows.ts';
import { createTable, type Watched } from '../../../src/node/health/table.ts';
import { USUAL_BOUNDS } from '../../../src/node/runtime/knowledge/bounds.ts';
import { PARTNER, TOKEN } from '../../support/makers.ts';
import { fakeNode } from '../http/fake-node.ts';

const { ofPartner: OF_PARTNER } = gasBudgetsOf(USUAL_BOUNDS);

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DAY = 86_400_000;
const CHANNEL = { partner: PARTNER, token: TOKEN };
const AWAY = { since: NOW, message: 'the stream is away' };
const THERE = { look: async () => undefined, missingSince: () => null };
const WHOLE = {
  database: { trouble: () => null },
  others: { trouble: () => null },
  certificates: { trouble: () => null },
  backup: { madeAt: () => NOW },
};
const ASKED = { look: async () => undefined };
const RELEASE = 'data:application/json,{"version":"9.9.9","security":true}';

/** A node with which all is well. */
function well(): Watched {
  const node = fakeNode();
  return {
    own: node.ownAddress,
    settings: {
      contracts: { ...node.contracts, userDepositAddress: PARTNER },
      hasRoutingFallback: true,
      releaseFeed: null,
      version: '1.2.3',
    },
    safeMode: null,
    staleness: () => null,
    brokerWatch: { trouble: () => null },
    replica: { trouble: () => null, standby: THERE },
    replicaAway: () => null,
    context: { finder: { asked: { ...ASKED, trouble: () => null } } },
    diskWatch: { lack: () => null },
    files: WHOLE,
    lateness: { recent: () => 0n },
    monitoringTrouble: () => null,
    clock: { now: () => NOW },
    protection: {
      reserve: () => ({ spare: 2n, wanted: 2n }),
      watch: { lookAfresh: async () => undefined },
      budgets: createGasBudgets({ rows: [], nowBlock: () => 0n }),
    },
    reads: {
      userDeposit: async () => ({ ok: true, value: { effectiveBalance: 10n ** 19n } }),
    },
    failingTransactions: () => [],
    unsafe: { all: () => [] },
    frozen: { all: () => [] },
    silent: () => [],
    log: { info() {}, warn() {}, error() {} },
  };
}
/** How each is broken. */
const BROKEN: Record<CheckId, (node: Watched) => Partial<Watched>> = {
  chain_unavailable: () => ({ staleness: () => 'The newest block is an hour old.' }),
  chain_replaced: () => ({ safeMode: { reason: 'Ten blocks were replaced.' } }),
  broker_unavailable: () => ({ brokerWatch: { trouble: () => 'It cannot be reached.' } }),
  replica_unavailable: () => ({
    replica: { trouble: () => AWAY, standby: THERE },
    replicaAway: () => AWAY,
  }),
  routing_unavailable: () => ({
    context: { finder: { asked: { ...ASKED, trouble: () => 'It does not answer.' } } },
  }),
  database_lost: () => ({ files: { ...WHOLE, database: { trouble: () => 'It was deleted.' } } }),
  file_missing: () => ({ files: { ...WHOLE, others: { trouble: () => 'One is missing.' } } }),
  certificate_ending: () => ({
    files: { ...WHOLE, certificates: { trouble: () => 'It ends on 2026-01-20.' } },
  }),
  backup_old: () => ({
    replica: null,
    files: { ...WHOLE, backup: { madeAt: () => NOW - 8 * DAY } },
  }),
  standby_missing: () => ({
    replica: { trouble: () => null, standby: { ...THERE, missingSince: () => NOW } },
  }),
  monitoring_unpaid: () => ({ monitoringTrouble: () => 'The user deposit does not cover it.' }),
  disk_full: () => ({ diskWatch: { lack: () => ({ left: 1, least: 2 }) } }),
  node_late: () => ({ lateness: { recent: () => 3n } }),
  missing_gas_reserve: ({ protection }) => ({
    protection: { ...protection, reserve: () => ({ spare: 1n, wanted: 2n }) },
  }),
  low_rdn: () => ({
    reads: { userDeposit: async () => ({ ok: true, value: { effectiveBalance: 0n } }) },
  }),
  transactions_failing: () => ({
    failingTransactions: () => [{ what: 'the close', failures: 3, detail: 'it reverts' }],
  }),
  gas_budget_spent: ({ protection }) => ({
    protection: {
      ...protection,
      budgets: {
        ...createGasBudgets({ rows: [], nowBlock: () => 0n }),
        all: () => [{ account: PARTNER, spent: OF_PARTNER.most }],
      },
    },
  }),
  unsafe_timeouts: () => ({ unsafe: { all: () => [CHANNEL] } }),
  channel_frozen: () => ({ frozen: { all: () => [CHANNEL] } }),
  partner_silent: () => ({ silent: () => [CHANNEL] }),
  version_outdated: ({ settings }) => ({ settings: { ...settings, releaseFeed: RELEASE } }),
  version_security_warning: ({ settings }) => ({ settings: { ...settings, releaseFeed: RELEASE } }),
};
const IDS = Object.keys(BROKEN).filter((id): id is CheckId => id in BROKEN);
/** Those without which the node takes no calls. */
const NEEDED: readonly CheckId[] = [
  'chain_unavailable',
  'chain_replaced',
  'replica_unavailable',
  'database_lost',
];

/** What everybody is told of the node. */
async function told(changes: (node: Watched) => Partial<Watched>) {
  const node = well();
  const table = createTable({ ...node, ...changes(node) });
  for (const { ask } of Object.values(table)) await ask?.();
  const health = createRows(table, { now: () => NOW });
  const app = createApp({
    node: fakeNode({ health, status: () => readiness(health()) }),
    options: { metrics: createMetrics() },
  });
  const read = async (path: string) => (await app.request(path)).text();
  const page = await read('/metrics');
  const listed: { check: string; state: string; body: string | null }[] = JSON.parse(
    await read('/api/v1/health'),
  );
  return {
    rows: health(),
    ready: (await app.request('/readyz')).status,
    says: await read('/readyz'),
    listed: listed.filter(({ state }) => state === 'bad').map(({ check }) => check),
    metrics: [...page.matchAll(/^pcn_health\{check="(\w+)",urgency="\w+"\} 0$/gm)].map(
      ([, check]) => check,
    ),
  };
}

describe('what a node keeps', () => {
  it('is all good when nothing is wrong', async () => {
    const { rows, ready, says, listed, metrics } = await told(() => ({}));
    expect(rows.map(({ isGood }) => isGood)).toEqual(IDS.map(() => true));
    expect([ready, says, listed, metrics]).toEqual([200, '{"status":"ready"}\n', [], []]);
  });

  it.each(IDS)('is told everywhere when it is not so: %s', async (id) => {
    const { rows, ready, says, listed, metrics } = await told(BROKEN[id]);
    const others = id.startsWith('version')
      ? ['version_outdated', 'version_security_warning']
      : [id];
    const row = rows.find((one) => one.id === id);
    expect(listed).toEqual(others);
    expect(metrics).toEqual(others);
    expect(ready).toBe(NEEDED.includes(id) ? 503 : 200);
    const words = NEEDED.includes(id) ? row?.trouble?.body.split('\n')[0] : row?.trouble?.summary;
    expect(says).toContain(words);
    expect(row?.isNeeded).toBe(NEEDED.includes(id));
  });

  it('is shown on the pages where it is not so, the urgent first, with the time since then', () => {
    const node = {
      ...well(),
      ...BROKEN.unsafe_timeouts(well()),
      ...BROKEN.missing_gas_reserve(well()),
    };
    const broken = { ...node, ...BROKEN.broker_unavailable(node), ...BROKEN.channel_frozen(node) };
    const troubles = troublesOf(createRows(createTable(broken), { now: () => NOW })());
    expect(troubles.map(({ check, urgency }) => [check, urgency])).toEqual([
      ['broker_unavailable', 'high'],
      ['channel_frozen', 'high'],
      ['missing_gas_reserve', 'normal'],
      ['unsafe_timeouts', 'normal'],
    ]);
    expect(troubles[0]).toEqual({
      check: 'broker_unavailable',
      summary: 'The message broker is away',
      body: expect.stringMatching(/^It cannot be reached\.\nUntil it is back/),
      urgency: 'high',
      since: NOW,
    });
    expect(troublesOf(createRows(createTable(well()), { now: () => NOW })())).toEqual([]);
  });

  it('is unknown where nobody has answered yet', async () => {
    const failing = {
      userDeposit: async () => ({ ok: false, code: 'chain_unavailable' }) as const,
    };
    const { rows, listed } = await told(() => ({
      reads: failing,
      replica: { trouble: () => null, standby: { ...THERE, missingSince: () => undefined } },
    }));
    const unknown = rows.filter(({ isGood }) => isGood === null).map(({ id }) => id);
    expect(unknown).toEqual(['standby_missing', 'low_rdn']);
    expect(listed).toEqual([]);
  });

  it('has the time since which it is so', async () => {
    let [now, trouble]: [number, string | null] = [1, null];
    const node = { ...well(), brokerWatch: { trouble: () => trouble } };
    const rows = createRows(createTable(node), { now: () => now });
    const since = () => rows().find(({ id }) => id === 'broker_unavailable')?.since;
    expect(since()).toBe(1);
    now = 2;
    expect(since()).toBe(1);
    trouble = 'It cannot be reached.';
    expect(since()).toBe(2);
    now = 3;
    expect(since()).toBe(2);
  });
});
