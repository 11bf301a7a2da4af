/** The node's channels as rows: with whom, both sides on a bar, where it stands, and its chart. */
import { useState } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { ChannelLine, Overview } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { figureOf } from '../../../page-parts/figure.ts';
import { personName, tokenName } from '../../../page-parts/labels.ts';
import { Select } from '../../../page-parts/select.tsx';
import { actorName } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';
import { LiveChart } from '../chart/live-chart.tsx';
import { DrawingLegend } from '../legend.tsx';
import { SidesBar } from './sides-bar.tsx';
import { standingOf } from './standing.ts';
import { StateStrip } from './strip.tsx';

/** From so many channels on there are an order, filters and pages. */
const MANY = 12;
export const PAGE = 25;

/** Which channels the reader wants to see. */
export type ChannelsLook = { find: string; state: string; order: string; from: number };
export const USUAL_CHANNELS: ChannelsLook = { find: '', state: 'all', order: 'due', from: 0 };

type ChannelsProps = {
  source: InspectorSource;
  overview: Overview;
  look: ChannelsLook;
  onLook(change: Partial<ChannelsLook>): void;
};

export function Channels({ source, overview, look, onLook }: ChannelsProps) {
  const { channels, opening } = overview;
  return (
    <section class="pane" aria-label="Channels">
      <header>
        <h2>
          Channels{' '}
          <span {...figureOf({ of: 'node/channels', value: channels.all, unit: 'count' })}>
            {channels.all}
          </span>
        </h2>
        <DrawingLegend entries={LEGEND} label="Legend" />
        {channels.all >= MANY && <Tools look={look} onLook={onLook} />}
      </header>
      <ul class="channels">
        {opening.map(({ token, partner, deposit }) => (
          <li key={`${token} ${partner}`} class="channel" data-tone="busy">
            <span class="channel-who" title={partner}>
              {personName(partner)}
            </span>
            <p class="channel-state">
              opening, with a deposit of{' '}
              <AmountText
                value={deposit}
                token={token}
                of={`opening:${token}:${partner}/deposit`}
              />
            </p>
          </li>
        ))}
        {channels.shown.map((line) => (
          <Row key={line.actor} source={source} line={line} overview={overview} />
        ))}
      </ul>
      {channels.found === 0 && channels.all > 0 && (
        <p class="mark-quiet">No channel is like this.</p>
      )}
      {channels.found > PAGE && <Pages found={channels.found} look={look} onLook={onLook} />}
    </section>
  );
}

type RowProps = { source: InspectorSource; line: ChannelLine; overview: Overview };

function Row({ source, line, overview }: RowProps) {
  const { actor, token, own, partner } = line;
  const [isOpen, setOpen] = useState(false);
  const { words, tone } = standingOf(line, overview);
  const of = (side: 'own' | 'partner') =>
    `${actor}/${side}.${line.isOpen ? 'capacity' : 'balance'}`;
  const amounts = line.isOpen ? [own.capacity, partner.capacity] : [own.balance, partner.balance];
  const [ours = 0n, theirs = 0n] = amounts;
  const { name } = actorName(actor);
  return (
    <li class="channel" data-tone={tone}>
      <a class="channel-who" href={pageHash({ view: 'money', actor })} title={partner.address}>
        {personName(partner.address)}
        <small>
          {tokenName(token)} · channel {name}
        </small>
      </a>
      <div class="channel-sides">
        <SidesBar
          token={token}
          own={{ of: of('own'), value: ours }}
          other={{ of: of('partner'), value: theirs }}
          whole={own.balance + partner.balance}
          isClosed={!line.isOpen}
        />
        <p>
          <AmountText value={ours} token={token} isBare of={of('own')} />
          <AmountText value={theirs} token={token} isBare of={of('partner')} />
        </p>
      </div>
      <p class="channel-state">
        <span {...dueClaim(line)}>{words}</span>
      </p>
      <button
        type="button"
        class="channel-chart"
        aria-expanded={isOpen}
        aria-label={`Chart of channel ${name}`}
        onClick={() => setOpen(!isOpen)}
      >
        <StateStrip source={source} machine="channel" state={line.state} />
      </button>
      {isOpen && <LiveChart source={source} actor={actor} />}
    </li>
  );
}

/** Only of a closed channel do the words say the block that it waits for. */
function dueClaim({ actor, state, dueBlock }: ChannelLine) {
  if (dueBlock === null || !state.startsWith('closed')) return {};
  return figureOf({ of: `${actor}/settle_block`, value: dueBlock, unit: 'word' });
}

const LEGEND = [
  ['swatch sides-own', 'you can pay'],
  ['swatch sides-other', 'you can receive'],
  ['swatch sides-closed', 'closed: what each side has'],
] as const;
const STATES = [
  ['all', 'all'],
  ['open', 'open'],
  ['ending', 'being closed'],
] as const;
const ORDERS = [
  ['due', 'next deadline'],
  ['pay', 'most to pay'],
  ['receive', 'most to receive'],
  ['size', 'largest'],
  ['number', 'number'],
] as const;

function Tools({ look, onLook }: Pick<ChannelsProps, 'look' | 'onLook'>) {
  return (
    <form class="filters" aria-label="Which channels" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Find</span>
        <input
          type="search"
          value={look.find}
          placeholder="partner, token, number"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onLook({ find: currentTarget.value.trim(), from: 0 })}
        />
      </label>
      <label>
        <span>Show</span>
        <Select
          value={look.state}
          options={STATES}
          onChoose={(state) => onLook({ state, from: 0 })}
        />
      </label>
      <label>
        <span>Order</span>
        <Select
          value={look.order}
          options={ORDERS}
          onChoose={(order) => onLook({ order, from: 0 })}
        />
      </label>
    </form>
  );
}

type PagesProps = { found: number } & Pick<ChannelsProps, 'look' | 'onLook'>;

function Pages({ found, look: { from }, onLook }: PagesProps) {
  const last = Math.min(from + PAGE, found);
  return (
    <p class="pages">
      <button
        type="button"
        disabled={from === 0}
        onClick={() => onLook({ from: Math.max(0, from - PAGE) })}
      >
        ◀ Before
      </button>
      <span role="status">
        {from + 1} to {last} of {found}
      </span>
      <button type="button" disabled={last >= found} onClick={() => onLook({ from: from + PAGE })}>
        Next ▶
      </button>
    </p>
  );
}
