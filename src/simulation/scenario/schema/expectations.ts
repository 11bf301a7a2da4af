/** What a scenario expects of its run, and whether the run met it. */
import * as v from 'valibot';
import { fromUnits } from '../../../basics/digits.ts';
import { type Amount, decimal, list, maybe, object, oneOf, share } from './values.ts';

const SHARE_MEASURES = ['success_rate', 'depleted_channels'] as const;
const NUMBER_MEASURES = [
  'succeeded_payments',
  'failed_payments',
  'stuck_payments',
  'stuck_locks',
  'latency_blocks_p50',
  'latency_blocks_p99',
  'lock_slack_blocks',
  'messages_per_payment',
  'gas_per_payment',
  'settled_channels',
  'kills',
] as const;
const AMOUNT_MEASURES = ['honest_loss', 'attacker_gain', 'fee_income'] as const;
export type NumberMeasure = (typeof SHARE_MEASURES)[number] | (typeof NUMBER_MEASURES)[number];
export type AmountMeasure = (typeof AMOUNT_MEASURES)[number];

/** A description of each measure, for people. */
export const MEASURES: Record<NumberMeasure | AmountMeasure, string> = {
  success_rate: 'payments that arrived, as a share of those that were started: 0 to 1',
  succeeded_payments: 'payments that arrived',
  failed_payments: 'payments that were given up',
  stuck_payments: 'payments that were neither when the run ended',
  stuck_locks: 'locks that were still pending when the run ended',
  latency_blocks_p50: 'blocks until a payment arrived, of the faster half at most',
  latency_blocks_p99: 'the same, of the fastest 99 in 100',
  lock_slack_blocks: 'fewest blocks that were left when an honest node claimed a lock on chain',
  messages_per_payment: 'messages between nodes, per payment that arrived',
  gas_per_payment: 'gas of all transactions, per payment that arrived',
  depleted_channels:
    'share of channels in which one side had less than 1 % when the run ended: 0 to 1',
  settled_channels: 'channels that were settled on chain',
  kills: 'processes that died',
  honest_loss: 'amount that honest nodes lost beyond their payments and fees',
  attacker_gain: 'amount that dishonest nodes gained; a loss counts as 0',
  fee_income: 'amount of the fees that honest nodes earned',
};

const OPERATORS = { atLeast: 'at_least', atMost: 'at_most', equals: 'equals' } as const;
type Operator = (typeof OPERATORS)[keyof typeof OPERATORS];
/** `value`: in the unit of the measure. */
export type Expectation = {
  measure: NumberMeasure | AmountMeasure;
  operator: Operator;
  value: number | bigint;
};
type Given = { measure: Expectation['measure'] } & Record<
  keyof typeof OPERATORS,
  number | bigint | null
>;

function boundsOf<const Schema extends v.GenericSchema>(schema: Schema) {
  return { atLeast: maybe(schema), atMost: maybe(schema), equals: maybe(schema) };
}

const highest = decimal(0, 1_000_000_000_000);

export function expectationList(amount: Amount) {
  const expectation = v.pipe(
    oneOf('measure', [
      object({
        measure: v.pipe(v.picklist(SHARE_MEASURES), v.title('a share')),
        ...boundsOf(share),
      }),
      object({
        measure: v.pipe(v.picklist(NUMBER_MEASURES), v.title('a number')),
        ...boundsOf(highest),
      }),
      object({
        measure: v.pipe(v.picklist(AMOUNT_MEASURES), v.title('an amount')),
        ...boundsOf(amount),
      }),
    ]),
    v.rawTransform(({ dataset, addIssue, NEVER }): Expectation => {
      const read = expectationOf(dataset.value);
      if (read !== null && !holdsAlways(read)) return read;
      const message =
        read === null
          ? 'must have exactly one of at_least, at_most, equals'
          : 'holds for every run: nothing is below 0';
      addIssue({ message });
      return NEVER;
    }),
  );
  return list(expectation, 100);
}
/** Measures of which there may be none; all others are 0 then. */
const MAY_BE_ABSENT: ReadonlySet<string> = new Set<Expectation['measure']>([
  'success_rate',
  'latency_blocks_p50',
  'latency_blocks_p99',
  'lock_slack_blocks',
  'messages_per_payment',
  'gas_per_payment',
  'depleted_channels',
]);

const holdsAlways = ({ measure, operator, value }: Expectation): boolean =>
  operator === 'at_least' && Number(value) === 0 && !MAY_BE_ABSENT.has(measure);

/** With the one bound that is given; null when it is not exactly one. */
function expectationOf({ measure, ...bounds }: Given): Expectation | null {
  const given = (['atLeast', 'atMost', 'equals'] as const).flatMap((name) => {
    const value = bounds[name];
    return value === null ? [] : [{ measure, operator: OPERATORS[name], value }];
  });
  return given.length === 1 ? (given[0] ?? null) : null;
}

/** The measured values, each in the unit of its measure; null: there was nothing to measure. */
export type Measured = Record<NumberMeasure, number | null> & Record<AmountMeasure, bigint | null>;

/** Whether the run met the expectation. When there was nothing to measure, it did not. */
export function isMet({ operator, measure, value }: Expectation, measured: Measured): boolean {
  const actual = measured[measure];
  if (actual === null) return false;
  if (operator === 'at_least') return actual >= value;
  return operator === 'at_most' ? actual <= value : actual >= value && actual <= value;
}

const SIGNS = { at_least: '≥', at_most: '≤', equals: '=' } as const satisfies Record<
  Operator,
  string
>;

/** "success_rate ≥ 0.95", "honest_loss = 0 TOK". */
export function expectationText(
  { measure, operator, value }: Expectation,
  token: { symbol: string; decimals: number },
): string {
  return `${measure} ${SIGNS[operator]} ${measuredText(value, token)}`;
}

/** A measure's value for people; amounts in tokens. */
export function measuredText(
  value: number | bigint,
  { symbol, decimals }: { symbol: string; decimals: number },
): string {
  return typeof value === 'bigint' ? `${fromUnits(value, decimals)} ${symbol}` : String(value);
}
