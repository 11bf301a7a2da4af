/** What the node has, by token and by channel. */
import { AmountText } from '../../page-parts/amount.tsx';
import { tokenName } from '../../page-parts/labels.ts';
import { TableHead } from '../../page-parts/table-head.tsx';
import { viewHash } from '../state/router.ts';
import type { WalletChannel, WalletViewProps } from '../state/wallet.ts';
import { sumsOf } from '../texts/sums.ts';
import { ChannelCard } from './channel-card.tsx';
import { Ether } from './figures.tsx';

export function BalancesView({ wallet, facts }: WalletViewProps) {
  const channels = wallet.channels.value;
  const sums = sumsOf(facts.tokens, channels ?? []);
  return (
    <>
      <section class="scroll" aria-label="By token">
        <table>
          <TableHead columns={['Token', ['You can pay', 'figure'], ['On chain', 'figure']]} />
          <tbody>
            {sums.map(({ token, inChannels, onChain }) => (
              <tr key={token}>
                <th scope="row">{tokenName(token)}</th>
                <td class="figure">
                  <AmountText
                    value={inChannels}
                    token={token}
                    isBare
                    of={`token:${token}/can_pay`}
                  />
                </td>
                <td class="figure">
                  {onChain === null ? (
                    'not known'
                  ) : (
                    <AmountText
                      value={onChain}
                      token={token}
                      isBare
                      of={`token:${token}/on_chain`}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="hint">
        Money for gas:{' '}
        {facts.wei === null ? 'not known' : <Ether wei={BigInt(facts.wei)} of="node/wei" />}
      </p>
      <Channels channels={channels} />
    </>
  );
}

function Channels({ channels }: { channels: readonly WalletChannel[] | null }) {
  if (channels === null) return <p class="waiting">Waiting for the channels …</p>;
  if (channels.length === 0)
    return (
      <p>
        There is no channel yet: <a href={viewHash('channels')}>open one</a>.
      </p>
    );
  const tokens = [...new Set(channels.map((channel) => channel.token_address))];
  return (
    <>
      {tokens.map((token) => (
        <section key={token} aria-label={`Channels of ${tokenName(token)}`}>
          <h2>{tokenName(token)}</h2>
          <ul class="cards">
            {channels
              .filter((channel) => channel.token_address === token)
              .map((channel) => (
                <ChannelCard key={channel.channel_identifier} channel={channel} />
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}
