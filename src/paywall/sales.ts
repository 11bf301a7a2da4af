/** What was sold, for people (one line of the log each) and for Prometheus. No secret, no query, no header is in either. */
import { Counter, Registry } from 'prom-client';
import { fromUnits } from '../basics/digits.ts';
import type { Log } from '../basics/environment.ts';
import { createTokenBucket } from '../basics/token-bucket.ts';
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

/** A server that names nonsense does it with each call. */
const COMPLAINTS = { most: 1, perSecond: 1 / 60, now: () => performance.now() };

export function createSales(log: Log) {
  const complaints = createTokenBucket(COMPLAINTS);
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
  const refused = counter(
    'refused_total',
    'Proofs and tickets that were refused, and calls whose price could not be asked.',
    ['rule', 'reason'],
  );
  const misnamed = counter(
    'misnamed_total',
    'Calls of which the server behind named no price by use that can be read.',
    ['rule', 'problem'],
  );
  const repeated = counter('repeated_total', 'Sold answers that were given again.', ['rule']);
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
    /** Says it in the log once a minute at most. */
    misnamed(rule: string, problem: 'nothing' | 'nonsense'): void {
      misnamed.inc({ rule, problem });
      if (complaints.take())
        log.warn(
          { rule, problem },
          problem === 'nothing'
            ? 'the server behind does not say what a call comes to: it costs the most'
            : 'the server behind names a Price that is no decimal amount: the call costs nothing',
        );
    },
    unpaid: (rule: string) => unpaid.inc({ rule }),
    refused: (rule: string, reason: string) => refused.inc({ rule, reason }),
    repeated: (rule: string) => repeated.inc({ rule }),
    free: (rule: string) => free.inc({ rule }),
    registry,
    page: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
