/** What was sold, for people (one line of the log each) and for Prometheus. No secret, no query, no header is in either. */
import { Counter, Registry } from 'prom-client';
import { fromUnits } from '../basics/digits.ts';
import type { Log } from '../basics/environment.ts';
import { classOf } from './terms.ts';

export type Sale = {
  rule: string;
  method: string;
  path: string;
  token: string;
  amount: bigint;
  decimals: number;
  payer: string;
  /** Of the payment, by which both nodes know it. */
  secretHash: string;
  status: number;
};
export type Sales = ReturnType<typeof createSales>;

export function createSales(log: Log) {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `sluice_paywall_${name}`, help, labelNames, registers });
  const sold = counter('sales_total', 'Calls that were paid and answered.', ['rule', 'token']);
  const earned = counter('earned_units_total', 'What they brought, in the smallest unit.', [
    'rule',
    'token',
  ]);
  const unpaid = counter('unpaid_total', 'Calls that were answered with a price.', ['rule']);
  const released = counter('released_total', 'Paid calls that were not charged.', [
    'rule',
    'status',
  ]);
  const refused = counter('refused_total', 'Proofs that were refused.', ['rule', 'reason']);
  const free = counter('free_total', 'Calls that cost nothing.', ['rule']);
  const factsOf = ({ decimals, amount, rule: _, ...sale }: Sale) => ({
    ...sale,
    amount: fromUnits(amount, decimals),
  });
  return {
    sold(sale: Sale): void {
      sold.inc({ rule: sale.rule, token: sale.token });
      earned.inc({ rule: sale.rule, token: sale.token }, Number(sale.amount));
      log.info(factsOf(sale), 'sold');
    },
    unserved(sale: Sale): void {
      released.inc({ rule: sale.rule, status: classOf(sale.status) });
      if (sale.status < 500) log.info(factsOf(sale), 'not charged: the payer may ask again');
      else log.warn(factsOf(sale), 'paid and not served: the payer may ask again');
    },
    /** Of a call that was sold, or of one that cost nothing. */
    cut(call: Sale | Pick<Sale, 'method' | 'path' | 'status'>, reason: string): void {
      const [facts, end] = 'amount' in call ? [factsOf(call), ', and is paid'] : [call, ''];
      log.warn({ ...facts, reason }, `the answer was cut off by the server behind${end}`);
    },
    unpaid: (rule: string) => unpaid.inc({ rule }),
    refused: (rule: string, reason: string) => refused.inc({ rule, reason }),
    free: (rule: string) => free.inc({ rule }),
    page: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
