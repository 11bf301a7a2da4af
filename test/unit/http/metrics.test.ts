import { describe, expect, it } from 'vitest';
import { type ApiOptions, createApp } from '../../../src/http/app.ts';
import { createMetrics } from '../../../src/http/metrics.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { meteredPay } from '../../../src/node/api/payments.ts';
import { metered } from '../../../src/node/runtime/knowledge/meter.ts';
import { emptyBatch } from '../../../src/store/base/batch.ts';
import { until } from '../../support/until.ts';
import { call } from './client.ts';
import { fakeNode, OWN, PARTNER, paymentResult, STATS, TOKEN } from './fake-node.ts';

type Options = ApiOptions & { changes?: Partial<NodeApi> };

function watched({ changes = {}, ...options }: Options = {}) {
  const metrics = createMetrics({ freeBytes: async () => 5_000 });
  const app = createApp({ node: fakeNode(changes), options: { ...options, metrics } });
  const page = async () => (await app.request('/metrics')).text();
  return { app, page, meter: metrics.meter };
}

/** The value of a line, e.g. `pcn_tx_pending`; null when there is none. */
function valueIn(page: string, line: string): number | null {
  const found = page.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length + 1));
}

const PAYMENT = { token: TOKEN, target: PARTNER, amount: 1n, paymentId: 7n, secret: null };
const REQUEST = { ...PAYMENT, secrethash: null, lockTimeout: null, routes: null };

describe('the metrics', () => {
  it.each<[string, number | null]>([
    [`pcn_channels{state="opened",token="${TOKEN}"}`, 2],
    [`pcn_channels{state="closed",token="${TOKEN}"}`, 1],
    [`pcn_channel_capacity{token="${TOKEN}",side="own"}`, 1e19],
    [`pcn_channel_capacity{token="${TOKEN}",side="partner"}`, 7],
    ['pcn_locks_pending{role="initiator"}', 3],
    ['pcn_locks_pending{role="target"}', 1],
    ['pcn_lock_slack_blocks', 12],
    ['pcn_outbox_depth', 4],
    ['pcn_broker_connected', 1],
    ['pcn_tx_pending', 1],
    ['pcn_chain_head', 120],
    ['pcn_chain_lag_blocks', 0],
    ['pcn_deadline_late_blocks', 0],
    ['pcn_chain_reorgs_total', 0],
    ['pcn_gas_reserve_ratio', 2.5],
    ['pcn_gas_budget_left', 0.25],
    ['pcn_udc_balance', null],
    ['pcn_db_free_bytes', 5_000],
    ['pcn_api_queue_depth', 0],
    ['pcn_actor_count{machine="channel",state="opened.idle"}', 2],
    ['pcn_invariant_violations_total', 0],
  ])('tell %s', async (line, value) => {
    expect(valueIn(await watched().page(), line)).toBe(value);
  });

  it('have no figures of a chain that has not answered yet', async () => {
    const unknown = { chain: null, lockSlack: null, gasReserveRatio: null };
    const { page } = watched({ changes: { stats: async () => ({ ...STATS, ...unknown }) } });
    const text = await page();
    for (const name of ['chain_head', 'chain_lag_blocks', 'lock_slack_blocks', 'gas_reserve_ratio'])
      expect(valueIn(text, `pcn_${name}`)).toBeNull();
  });

  it('are counted once for all who ask at a time', async () => {
    let counted = 0;
    const stats = async () => {
      counted++;
      return STATS;
    };
    const { page } = watched({ changes: { stats } });
    const pages = await Promise.all([page(), page(), page()]);
    expect(new Set(pages).size).toBe(1);
    expect(counted).toBe(1);
    await page();
    expect(counted).toBe(2);
  });

  it('forget what is no longer there', async () => {
    let channels = STATS.channels;
    const { page } = watched({ changes: { stats: async () => ({ ...STATS, channels }) } });
    await page();
    channels = new Map();
    expect(await page()).not.toContain('pcn_channels{');
  });

  it('count calls by what they asked for, never by an address of theirs', async () => {
    const { app, page } = watched();
    for (const path of [`/tokens/${TOKEN}`, `/tokens/${TOKEN}`, '/nothing', `/channels/${OWN}/x`])
      await call(app, { path });
    await app.request('/api/v1/tokens', { method: 'BREW' });
    const text = await page();
    const requests = (labels: string) => valueIn(text, `pcn_api_requests_total{${labels}}`);
    expect(requests('route="/api/v1/tokens/:token",method="GET",code="200"')).toBe(2);
    expect(requests('route="other",method="GET",code="404"')).toBe(1);
    expect(requests('route="/api/v1/channels/:token/:partner",method="GET",code="404"')).toBe(1);
    expect(requests('route="/api/v1/tokens",method="other",code="405"')).toBe(1);
    expect(text).not.toContain(OWN);
  });

  it('count the calls that wait', async () => {
    const { app, page } = watched({ changes: { registerToken: () => new Promise(() => {}) } });
    for (let i = 0; i < 4; i++) void call(app, { method: 'PUT', path: `/tokens/${TOKEN}` });
    // On a busy machine some of the calls come to their turn only in the next round of the event loop.
    const waiting = async () => valueIn(await page(), 'pcn_api_queue_depth');
    await until(async () => (await waiting()) === 3, 'three calls wait');
  });

  it('count payments when they are on disk, and those that arrived by their time', async () => {
    const { page, meter } = watched();
    const pay = meteredPay(meter, async (request) =>
      request.amount === 1n
        ? { ok: true, value: paymentResult(request) }
        : { ok: false, code: 'no_route' },
    );
    await pay(REQUEST);
    await pay({ ...REQUEST, amount: 2n });
    const batch = emptyBatch();
    const facts = { token: TOKEN, tokenNetwork: TOKEN, paymentId: 7n, amount: 1n, target: PARTNER };
    const secrethash = `0x${'00'.repeat(32)}` as const;
    const where = { secrethash, channel: null };
    const why = { code: 'lock_expired', reason: 'the target did not ask for it' } as const;
    batch.payments.push(
      { type: 'record.paymentSent', attempts: 2, ...facts, ...where },
      { type: 'record.paymentFailed', attempts: 1, ...facts, ...where, ...why },
    );
    const { store, onDurable } = metered(meter, { commit() {} });
    store.commit(batch);
    onDurable(batch);
    const failing = metered(meter, {
      commit() {
        throw new Error('disk full');
      },
    });
    expect(() => failing.store.commit(batch)).toThrow('disk full');
    const text = await page();
    const paid = 'role="initiator",result="paid"';
    const failed = 'role="initiator",result="failed",reason="lock_expired"';
    for (const labels of [paid, failed])
      expect(valueIn(text, `pcn_payments_total{${labels}}`)).toBe(1);
    expect(valueIn(text, 'pcn_payment_duration_seconds_count')).toBe(1);
    expect(valueIn(text, 'pcn_db_commit_seconds_count')).toBe(1);
    expect(valueIn(text, 'pcn_payment_attempts_sum')).toBe(3);
    expect(valueIn(text, 'pcn_payment_attempts_bucket{le="1"}')).toBe(1);
  });

  it('count messages, transactions, replaced blocks and failures', async () => {
    const { page, meter } = watched();
    meter.message('Update', 'in', 'ok');
    meter.message('unknown', 'in', 'refused');
    meter.transaction('tx.settle', false);
    meter.reorg();
    meter.violation();
    const text = await page();
    for (const line of [
      'pcn_messages_total{type="Update",dir="in",result="ok"}',
      'pcn_messages_total{type="unknown",dir="in",result="refused"}',
      'pcn_tx_total{kind="settle",result="failed"}',
      'pcn_chain_reorgs_total',
      'pcn_invariant_violations_total',
    ])
      expect(valueIn(text, line)).toBe(1);
  });

  it('tell of the process, too', async () => {
    expect(valueIn(await watched().page(), 'process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('stand under the API as well, do not wait behind calls, and need a token', async () => {
    const { app } = watched({ changes: { registerToken: () => new Promise(() => {}) } });
    void call(app, { method: 'PUT', path: `/tokens/${TOKEN}` });
    const { status, headers } = await call(app, { path: '/metrics' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const tokens = [{ token: 'r'.repeat(16), scope: 'read', cap: null, budget: null } as const];
    const guarded = watched({ tokens });
    expect((await guarded.app.request('/metrics')).status).toBe(401);
    const authorization = `Bearer ${'r'.repeat(16)}`;
    const response = await guarded.app.request('/metrics', { headers: { authorization } });
    expect(response.status).toBe(200);
  });
});
