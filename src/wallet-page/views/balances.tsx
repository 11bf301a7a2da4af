/** What the node has, by token and by channel. */
import { AmountText } from '../../page-parts/amount.tsx';
import { personName, tokenName } from '../../page-parts/labels.ts';
import { TableHead } from '../../page-parts/table-head.tsx';
import { Ether } from '../base/figures.tsx';
import { viewHash } from '../state/router.ts';
import type { WalletViewProps } from '../state/wallet.ts';
import { type Sum, sumsOf } from '../texts/sums.ts';
import { ChannelList } from './channel-list.tsx';

const COLUMNS = [
  'Token',
  ['You can pay', 'figure'],
  ['You can receive', 'figure'],
  ['On chain', 'figure'],
] as const;

export function BalancesView({ wallet, facts }: WalletViewProps) {
  const sums = sumsOf(facts.tokens, facts.capacities);
  return (
    <>
      <section class="scroll" aria-label="By token">
        <table>
          <TableHead columns={COLUMNS} />
          <tbody>
            {sums.map((sum) => (
              <TokenRow key={sum.token} sum={sum} />
            ))}
          </tbody>
        </table>
      </section>
      <p class="hint">
        Money for gas:{' '}
        {facts.wei === null ? 'not known' : <Ether wei={BigInt(facts.wei)} of="node/wei" />}
      </p>
      <Channels {...{ wallet, facts }} />
    </>
  );
}

function TokenRow({ sum }: { sum: Sum }) {
  const { token, onChain } = sum;
  return (
    <tr>
      <th scope="row">{tokenName(token)}</th>
      <WayCell sum={sum} way="pay" />
      <WayCell sum={sum} way="receive" />
      <td class="figure">
        {onChain === null ? (
          'not known'
        ) : (
          <AmountText value={onChain} token={token} isBare of={`token:${token}/on_chain`} />
        )}
      </td>
    </tr>
  );
}

/** Over all channels, and below it over the one that carries most: one payment takes one. */
function WayCell({ sum, way }: { sum: Sum; way: 'pay' | 'receive' }) {
  const { token } = sum;
  const { all, most, partner } = sum[way];
  const what = `can_${way}`;
  return (
    <td class="figure">
      <AmountText value={all} token={token} isBare of={`token:${token}/${what}`} />
      {partner !== null && most !== all && (
        <small>
          {' '}
          <AmountText value={most} token={token} isBare of={`token:${token}/most_${what}`} /> at
          once ({personName(partner)})
        </small>
      )}
    </td>
  );
}

function Channels({ wallet, facts }: WalletViewProps) {
  const channels = wallet.channels.value;
  if (channels === null) return <p class="waiting">Waiting for the channels …</p>;
  if (channels.length > 0) return <ChannelList {...{ facts, channels }} />;
  return (
    <p>
      There is no channel yet: <a href={viewHash('channels')}>open one</a>.
    </p>
  );
}
