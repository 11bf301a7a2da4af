/** What the figures of a paywall say of its tabs. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchTabs } from '../../../src/paywall/tab-metrics.ts';
import { openTabShop, type TabShop } from '../../support/tab-shop.ts';
import { until } from '../../support/until.ts';
import { ASSET, SELLER } from '../../support/x402-market.ts';

let shop: TabShop;

beforeEach(async () => {
  shop = await openTabShop(['/v1/* 0.0001'], (_, response) => void response.end('dry'));
  watchTabs(shop.sales.registry, shop.tabs.figures);
});
afterEach(() => shop.close());

const lines = async () => (await shop.sales.page()).split('\n');
const of = (state: string) => `{token="${ASSET}",state="${state}"}`;

it('counts open tabs, what lies on them, and what calls on them came to', async () => {
  const buy = shop.buyer();
  for (let call = 0; call < 3; call++) await buy(`${shop.url}/v1/a`);
  await shop.buyer()(`${shop.url}/v1/a`);
  expect(await lines()).toEqual(
    expect.arrayContaining([
      `sluice_paywall_tabs${of('open')} 2`,
      `sluice_paywall_tab_units${of('open')} 19600000000000000`,
      `sluice_paywall_tab_charged_units_total{token="${ASSET}"} 400000000000000`,
      `sluice_paywall_tabs${of('closed')} 0`,
    ]),
  );
});

it('counts rests that are not paid back, as long as they are not', async () => {
  const refusal = { errors: 'no way', code: 'no_route', outcome: 'failed' };
  shop.market.hooks.beforeRest = () => Response.json(refusal, { status: 409 });
  const { channel, buy } = shop.program();
  await buy(`${shop.url}/v1/a`);
  await channel.closeTabs();
  const told = 'the rest of a tab is not paid back yet';
  await until(() => shop.lines.some(([text]) => text === told), 'it is tried');
  const closed = [
    `sluice_paywall_tabs${of('closed')} 1`,
    `sluice_paywall_tab_units${of('closed')} 9900000000000000`,
  ];
  expect(await lines()).toEqual(
    expect.arrayContaining([...closed, `sluice_paywall_tabs${of('open')} 0`]),
  );
});

it('counts refused tickets by their reason', async () => {
  const hash = `0x${'33'.repeat(32)}`;
  const payload = { tab: hash, counter: 1, from: 1, most: '1', mac: hash };
  const accepted = { scheme: 'channel', network: 'eip155:31337', payTo: SELLER, extra: {} };
  const shown = btoa(JSON.stringify({ x402Version: 2, accepted, payload }));
  await fetch(`${shop.url}/v1/a`, { headers: { 'payment-signature': shown } });
  const labels = `{rule="/v1/* 0.0001 ${ASSET}",reason="unknown_tab"}`;
  expect(await lines()).toContain(`sluice_paywall_refused_total${labels} 1`);
});
