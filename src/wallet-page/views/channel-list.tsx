/** All channels: few as cards; many in rows with what either side can pay, by page, to be searched and filtered. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isNamed, personName, tokenName } from '../../page-parts/labels.ts';
import { blocksLeftText } from '../../page-parts/time-left.ts';
import { Sides } from '../base/figures.tsx';
import { Choice, FormField } from '../forms/fields.tsx';
import type { WalletChannel, WalletNode } from '../state/wallet.ts';
import {
  type ChannelFilter,
  EVERY_CHANNEL,
  type ListedChannel,
  listed,
  MANY,
  PAGE,
} from '../texts/channel-list.ts';
import { channelWith } from '../texts/sums.ts';
import { ChannelAmounts, ChannelCard, Partner, StateText, whoseOf } from './channel-card.tsx';

/** `left`: until a closed channel can be settled, in words; null: it is not closed. */
type Shown = ListedChannel & { channel: WalletChannel; left: string | null };
type ListProps = {
  facts: WalletNode;
  channels: readonly WalletChannel[];
  /** What can be done with a channel. */
  actions?: (channel: WalletChannel) => ComponentChildren;
};

const nameOf = (partner: string): string => (isNamed(partner) ? personName(partner) : '');

function shownOf(channel: WalletChannel, { capacities, block, blockSeconds }: WalletNode): Shown {
  const { token_address: token, partner_address: partner, state } = channel;
  const found = channelWith(capacities, token, partner);
  const isOpen = state === 'opened';
  const { canPay = '0', canReceive = '0' } = (isOpen && found) || {};
  const blocks = found?.settleBlock ? BigInt(found.settleBlock) - BigInt(block) : null;
  const left =
    blocks === null
      ? null
      : blocks > 0n
        ? blocksLeftText(blocks, blockSeconds)
        : 'its settlement is due';
  return {
    ...{ token, partner, state, channel, left: isOpen ? null : left },
    ...{ canPay: BigInt(canPay), canReceive: BigInt(canReceive) },
  };
}

export function ChannelList({ facts, channels, actions = () => null }: ListProps) {
  const all = channels.map((channel) => shownOf(channel, facts));
  if (all.length >= MANY) return <ManyChannels {...{ all, actions }} />;
  return (
    <>
      {[...new Set(all.map(({ token }) => token))].map((token) => (
        <section key={token} aria-label={`Channels of ${tokenName(token)}`}>
          <h2>{tokenName(token)}</h2>
          <ul class="cards">
            {listed(all, { ...EVERY_CHANNEL, token }, nameOf).map((one) => (
              <ChannelCard key={whoseOf(one.channel)} {...one}>
                {actions(one.channel)}
              </ChannelCard>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

type Actions = Required<ListProps>['actions'];

function ManyChannels({ all, actions }: { all: readonly Shown[]; actions: Actions }) {
  const [filter, setFilter] = useState(EVERY_CHANNEL);
  const [page, setPage] = useState(0);
  const found = listed(all, filter, nameOf);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const at = Math.min(page, pages - 1);
  const first = at * PAGE;
  return (
    <section aria-label="Channels">
      <h2>Channels</h2>
      <Filters
        {...{ all, filter }}
        onFilter={(changed) => {
          setFilter(changed);
          setPage(0);
        }}
      />
      <p class="hint" role="status">
        {found.length === 0
          ? 'No channel fits.'
          : `${first + 1} to ${Math.min(first + PAGE, found.length)} of ${found.length} channels, those that can pay most first`}
      </p>
      <ul class="rows">
        {found.slice(first, first + PAGE).map((one) => (
          <Row key={whoseOf(one.channel)} shown={one} actions={actions} />
        ))}
      </ul>
      {pages > 1 && <Pages {...{ at, pages }} onPage={setPage} />}
    </section>
  );
}

type FilterProps = {
  all: readonly Shown[];
  filter: ChannelFilter;
  onFilter(filter: ChannelFilter): void;
};

function Filters({ all, filter, onFilter }: FilterProps) {
  const change = (changed: Partial<ChannelFilter>) => onFilter({ ...filter, ...changed });
  const tokens = [...new Set(all.map(({ token }) => token))];
  const states = [...new Set(all.map(({ state }) => state))].sort();
  return (
    <search class="filters">
      <FormField label="Partner" value={filter.text} onInput={(text) => change({ text })} />
      <Choice
        label="Token"
        value={filter.token}
        options={[['', 'All'], ...tokens.map((token) => [token, tokenName(token)] as const)]}
        onChoose={(token) => change({ token })}
      />
      <Choice
        label="State"
        value={filter.state}
        options={[['', 'All'], ...states.map((state) => [state, state] as const)]}
        onChoose={(state) => change({ state })}
      />
    </search>
  );
}

function Pages({ at, pages, onPage }: { at: number; pages: number; onPage(page: number): void }) {
  return (
    <nav class="buttons" aria-label="Pages of channels">
      <button type="button" disabled={at === 0} onClick={() => onPage(at - 1)}>
        Before
      </button>
      <span>
        Page {at + 1} of {pages}
      </span>
      <button type="button" disabled={at === pages - 1} onClick={() => onPage(at + 1)}>
        Next
      </button>
    </nav>
  );
}

function Row({ shown, actions }: { shown: Shown; actions: Actions }) {
  const [isOpen, setOpen] = useState(false);
  const { channel, partner, token } = shown;
  return (
    <li>
      <div class="row">
        <div>
          <Partner address={partner} />
          <p class="hint">
            <StateText {...shown} /> · {tokenName(token)}
          </p>
        </div>
        <Sides whose={whoseOf(channel)} {...shown} />
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`More of the ${tokenName(token)} channel with ${personName(partner)}`}
          onClick={() => setOpen(!isOpen)}
        >
          More
        </button>
      </div>
      {isOpen && (
        <div class="more">
          <ChannelAmounts channel={channel} />
          {actions(channel)}
        </div>
      )}
    </li>
  );
}
