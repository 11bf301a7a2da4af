/** Payments, the newest first, with filters, and as a file for other programs. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { messageOf } from '../../basics/message-of.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { clockText } from '../../page-parts/clock.ts';
import { Copy } from '../../page-parts/copy.tsx';
import { figureOf } from '../../page-parts/figure.ts';
import { isNamed, personName } from '../../page-parts/labels.ts';
import { ProblemNote } from '../../page-parts/problem.tsx';
import { saveFile } from '../../page-parts/save-file.ts';
import { Choice, FormField } from '../forms/fields.tsx';
import { tokensOf } from '../forms/tokens.ts';
import { allPayments, followHistory, type Loaded } from '../state/history.ts';
import type { Wallet, WalletNode, WalletViewProps } from '../state/wallet.ts';
import { CSV_HEAD, csvLine, csvRow, EVENT_KINDS, partnerOf, timeOf } from '../texts/csv.ts';
import { type HistoryFilter, matches, NO_FILTER } from '../texts/filter.ts';

const nameOf = (address: string): string => (isNamed(address) ? personName(address) : '');

export function HistoryView({ wallet, facts }: WalletViewProps) {
  const [filter, setFilter] = useState(NO_FILTER);
  const history = useMemo(() => followHistory(wallet), [wallet]);
  useEffect(() => history.end, [history]);
  const loaded = history.loaded.value;
  const problem = history.problem.value;
  const shown = (loaded?.records ?? []).filter((record) => matches(record, filter, nameOf));
  const isFirst = loaded?.from === 0;
  const places = new Map(
    loaded?.records.map((record, index) => [record, loaded.from + index] as const) ?? [],
  );
  return (
    <>
      <Filters {...{ wallet, facts, filter }} onFilter={setFilter} />
      <Download {...{ wallet, facts, filter }} />
      <ProblemNote text={problem} />
      <p role="status" class="hint">
        {loaded === null
          ? 'Reading the history …'
          : `${shown.length} of ${loaded.records.length} payments${isFirst ? '' : ' that are loaded'}`}
      </p>
      <ul class="payments" aria-label="Payments">
        {shown.toReversed().map((record, index) => (
          <Line key={shown.length - index} record={record} place={places.get(record) ?? 0} />
        ))}
      </ul>
      {loaded !== null && !isFirst && (
        <button type="button" onClick={history.more}>
          Load older payments
        </button>
      )}
    </>
  );
}

type Record = Loaded['records'][number];
const MARKS = { sent: '→ Paid', received: '← Received', failed: '✗ Failed' };

function Line({ record, place }: { record: Record; place: number }) {
  const { token_address: token, log_time: time } = record;
  const kind = EVENT_KINDS[record.event];
  const whose = `payment:${place}`;
  const partner = partnerOf(record);
  return (
    <li data-kind={kind}>
      <p>
        <strong {...figureOf({ of: `${whose}/event`, value: kind, unit: 'word' })}>
          {MARKS[kind]}
        </strong>{' '}
        <AmountText value={BigInt(record.amount)} token={token} of={`${whose}/amount`} />{' '}
        {kind === 'received' ? 'from' : 'to'} {nameOf(partner)}{' '}
        <Copy label="address" text={partner} shown={shortId(partner)} />
      </p>
      <p class="hint">
        <time
          datetime={`${time}Z`}
          {...figureOf({ of: `${whose}/time`, value: timeOf(record), unit: 'ms' })}
        >
          {clockText(timeOf(record))}
        </time>
        {record.event === 'EventPaymentSentFailed' && ` · ${record.reason}`} · identifier{' '}
        <span {...figureOf({ of: `${whose}/identifier`, value: record.identifier, unit: 'word' })}>
          {record.identifier}
        </span>
      </p>
    </li>
  );
}

const WHICH = [
  ['', 'All'],
  ['sent', 'Paid'],
  ['received', 'Received'],
  ['failed', 'Failed'],
] as const;

type FilterProps = WalletViewProps & {
  filter: HistoryFilter;
  onFilter(filter: HistoryFilter): void;
};

function Filters({ wallet, facts, filter, onFilter }: FilterProps) {
  const change = (changed: Partial<HistoryFilter>) => onFilter({ ...filter, ...changed });
  const tokens = tokensOf(facts, wallet.channels.value);
  return (
    <search class="filters">
      <Choice
        label="Which"
        value={filter.kind}
        options={WHICH}
        onChoose={(text) => change({ kind: WHICH.find(([kind]) => kind === text)?.[0] ?? '' })}
      />
      <Choice
        label="Token"
        value={filter.token}
        options={[['', 'All'], ...tokens.map(({ address, name }) => [address, name] as const)]}
        onChoose={(token) => change({ token })}
      />
      <FormField
        label="Partner or identifier"
        value={filter.text}
        onInput={(text) => change({ text })}
      />
      <FormField
        label="From day"
        type="date"
        value={filter.from}
        onInput={(from) => change({ from })}
      />
      <FormField label="To day" type="date" value={filter.to} onInput={(to) => change({ to })} />
    </search>
  );
}

function Download({ wallet, facts, filter }: WalletViewProps & { filter: HistoryFilter }) {
  const [said, setSaid] = useState('');
  async function download(): Promise<void> {
    setSaid('Reading the whole history …');
    try {
      const parts = await csvParts(wallet, facts, filter);
      saveFile(new Blob(parts, { type: 'text/csv;charset=utf-8' }), 'payments.csv');
      setSaid(`${parts.length - 1} payments`);
    } catch (error) {
      setSaid(messageOf(error));
    }
  }
  return (
    <p class="buttons">
      <button type="button" onClick={() => void download()}>
        Download as CSV
      </button>
      <span role="status">{said}</span>
    </p>
  );
}

/** The whole history through the filter, not only what is loaded. */
async function csvParts(
  wallet: Wallet,
  facts: WalletNode,
  filter: HistoryFilter,
): Promise<string[]> {
  const names = {
    nameOf,
    symbolOf: (token: string) => facts.tokens.find((one) => one.address === token)?.symbol ?? '',
    decimalsOf: (token: string) =>
      facts.tokens.find((one) => one.address === token)?.decimals ?? null,
  };
  const parts = [csvRow(CSV_HEAD)];
  for await (const record of allPayments(wallet))
    if (matches(record, filter, nameOf)) parts.push(csvLine(record, names));
  return parts;
}
