/** What the node owns in its channels of a token, over time. */
import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { ListedActor } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { clockText } from '../../../page-parts/clock.ts';
import { tokenName, units } from '../../../page-parts/labels.ts';
import { Select } from '../../../page-parts/select.tsx';
import { whenDone } from '../../../page-parts/when-done.ts';
import { MoneyDrawing } from '../money/drawing.tsx';
import { type OwnPoint, ownNow, ownSeries, sumOf } from './past-money.ts';

/** How many channels' pasts are read, and how many last steps of each. */
const CHANNELS = 8;
const STEPS = '200';
/** The most points that are kept while the page is open. */
const MOST_POINTS = 1_000;

type OwnProps = {
  source: InspectorSource;
  rows: ReadonlyMap<string, ListedActor>;
  version: number;
};

export function OwnPlot({ source, rows, version }: OwnProps) {
  const tokens = useMemo(() => tokensIn(rows.values()), [rows, version]);
  const [chosen, choose] = useState<string | null>(null);
  const token = chosen ?? tokens[0] ?? null;
  if (token === null) return null;
  return (
    <section class="pane" aria-label="Money over time">
      <header>
        <h2>Money over time</h2>
        {tokens.length > 1 && (
          <Select
            aria-label="Token of the drawing"
            value={token}
            options={tokens.map((address) => [address, tokenName(address)])}
            onChoose={choose}
          />
        )}
      </header>
      <TokenPlot key={token} source={source} rows={rows} version={version} token={token} />
    </section>
  );
}

function TokenPlot({ token, ...of }: OwnProps & { token: string }) {
  const channels = channelsOf(of.rows.values(), token);
  const isAll = channels.length <= CHANNELS;
  const points = useOwn({ ...of, largest: channels.slice(0, CHANNELS) });
  const pointed = useMemo(() => signal<number | null>(null), []);
  const point = points[pointed.value ?? points.length - 1] ?? points.at(-1);
  const lines = useMemo(
    () => [{ ink: 'own' as const, amounts: points.map(({ own }) => own) }],
    [points],
  );
  const along = useMemo(
    () => ({ kind: 'time' as const, at: points.map(({ time }) => time) }),
    [points],
  );
  if (point === undefined) return <p class="mark-quiet">Asking for the channels' past …</p>;
  return (
    <>
      <p class="plot-readout">
        {clockText(point.time)}: this node owned{' '}
        <strong>
          <AmountText value={point.own} token={token} />
        </strong>{' '}
        in {isAll ? 'its open channels' : `its ${CHANNELS} largest open channels`}
      </p>
      <MoneyDrawing key={units.value} lines={lines} along={along} pointed={pointed} token={token} />
    </>
  );
}

/** The past of the largest channels, then what the list of actors shows. */
type LargestProps = Omit<OwnProps, 'rows'> & { largest: readonly ListedActor[] };

function useOwn({ source, version, largest }: LargestProps) {
  const key = largest
    .map(({ actor }) => actor)
    .sort()
    .join(' ');
  const [points, setPoints] = useState<readonly OwnPoint[]>([]);
  useEffect(() => {
    const reads = largest.map(({ actor }) =>
      source.read('history', `actors/${encodeURIComponent(actor)}/history`, { limit: STEPS }),
    );
    // A failure is ignored: the list of actors shows that the node does not answer.
    return whenDone(Promise.all(reads), (histories) => setPoints(sumOf(histories.map(ownSeries))));
  }, [source, key]);
  useEffect(() => {
    const own = ownNow(largest);
    setPoints((known) => {
      const last = known.at(-1);
      if (last === undefined || own === null || last.own === own) return known;
      return [...known, { time: Date.now(), own }].slice(-MOST_POINTS);
    });
  }, [version]);
  return points;
}

/** Open channels of the token, those with the most money first. */
function channelsOf(rows: Iterable<ListedActor>, token: string): ListedActor[] {
  const size = ({ balances }: ListedActor) =>
    balances === null ? 0n : balances.own + balances.partner;
  return [...rows]
    .filter((row) => row.machine === 'channel' && !row.isEnded && row.token === token)
    .sort((a, b) => (size(a) < size(b) ? 1 : size(a) > size(b) ? -1 : 0));
}

function tokensIn(rows: Iterable<ListedActor>): string[] {
  const found = [...rows].filter(({ machine, isEnded }) => machine === 'channel' && !isEnded);
  return [...new Set(found.map(({ token }) => token))].filter((token) => token !== null);
}
