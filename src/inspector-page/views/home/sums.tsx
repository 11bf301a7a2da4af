/** What can be paid and received of each token. */
import type { TokenSums } from '../../../inspector/wire.ts';
import { AmountText } from '../../../page-parts/amount.tsx';
import { figureOf } from '../../../page-parts/figure.ts';
import { tokenName } from '../../../page-parts/labels.ts';
import { SidesBar } from './sides-bar.tsx';

/** Tokens that are shown at first: the others are folded. */
const SHOWN = 3;

export function Sums({ tokens }: { tokens: readonly TokenSums[] }) {
  const rest = tokens.slice(SHOWN);
  return (
    <section aria-label="What can be paid and received">
      <ul class="sums">
        {tokens.slice(0, SHOWN).map((sums) => (
          <TokenCard key={sums.token} sums={sums} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details class="sums-more">
          <summary>
            {rest.length} more {rest.length === 1 ? 'token' : 'tokens'}
          </summary>
          <ul class="sums">
            {rest.map((sums) => (
              <TokenCard key={sums.token} sums={sums} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function TokenCard({ sums }: { sums: TokenSums }) {
  const { token, channels, open, canPay, canReceive, mostPay, mostReceive } = sums;
  const of = (what: string) => `token:${token}/${what}`;
  return (
    <li class="pane sum">
      <header>
        <h2 title={token}>{tokenName(token)}</h2>
        <span class="mark-quiet">
          <span {...figureOf({ of: of('open'), value: open, unit: 'count' })}>{open}</span> of{' '}
          <span {...figureOf({ of: of('channels'), value: channels, unit: 'count' })}>
            {channels}
          </span>{' '}
          {channels === 1 ? 'channel' : 'channels'} open
        </span>
      </header>
      <SidesBar
        token={token}
        own={{ of: of('can_pay'), value: canPay }}
        other={{ of: of('can_receive'), value: canReceive }}
        whole={canPay + canReceive}
      />
      <dl class="sum-figures">
        <Sum
          name="You can pay"
          token={token}
          of={of}
          all={['can_pay', canPay]}
          most={['most_pay', mostPay]}
        />
        <Sum
          name="You can receive"
          token={token}
          of={of}
          all={['can_receive', canReceive]}
          most={['most_receive', mostReceive]}
        />
      </dl>
    </li>
  );
}

type SumProps = {
  name: string;
  token: string;
  of(what: string): string;
  all: readonly [what: string, value: bigint];
  most: readonly [what: string, value: bigint];
};

function Sum({ name, token, of, all, most }: SumProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>
          <AmountText value={all[1]} token={token} of={of(all[0])} />
        </strong>
        {all[1] !== most[1] && (
          <small>
            at most <AmountText value={most[1]} token={token} isBare of={of(most[0])} /> over one
            channel
          </small>
        )}
      </dd>
    </div>
  );
}
