/** What lies on tabs, for Prometheus. Refused tickets are counted where refused proofs are. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { SellerTabs } from '../tabs/seller-tabs.ts';

export function watchTabs(registry: Registry, figures: SellerTabs['figures']): void {
  const registers = [registry];
  const labelNames = ['token', 'state'] as const;
  const name = (end: string) => `sluice_paywall_tab${end}`;
  const count = new Gauge({
    ...{ name: name('s'), help: 'Tabs, open or with a rest to be paid back.' },
    ...{ labelNames, registers },
    // It is the first that a page asks for, and fills all three: they are of one moment.
    collect: fill,
  });
  const units = new Gauge({
    ...{ name: name('_units'), help: 'What lies on them, in the smallest unit.' },
    ...{ labelNames, registers },
  });
  const charged = new Counter({
    ...{ name: name('_charged_units_total'), help: 'What calls on tabs came to.' },
    ...{ labelNames: ['token'] as const, registers },
  });
  function fill(): void {
    for (const metric of [count, units, charged]) metric.reset();
    for (const [token, of] of figures().tokens) {
      charged.inc({ token }, Number(of.charged));
      for (const state of ['open', 'closed'] as const) {
        count.set({ token, state }, of[state].count);
        units.set({ token, state }, Number(of[state].units));
      }
    }
  }
}
