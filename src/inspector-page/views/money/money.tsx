/** The money of both sides of a channel, to the unit; for other actors, their amounts. */
import type { ActorView, Money } from '../../../inspector/wire.ts';
import { AmountCell, AmountText } from '../../../page-parts/amount.tsx';
import { amountText } from '../../../page-parts/labels.ts';
import { TableHead } from '../../../page-parts/table-head.tsx';
import { actorName } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';
import type { ActorViewProps } from '../view.ts';
import { conservation } from './bars.ts';
import { OlderProofs } from './older.tsx';
import { amountsOf } from './payment.ts';
import { BalancePlot } from './plot.tsx';
import { Sides } from './sides.tsx';

export function MoneyView(props: ActorViewProps) {
  const view = props.feed.view.value;
  return (
    <section aria-label="Money" class="panes">
      {view === null ? (
        <p class="pane pane-empty">Waiting for the node …</p>
      ) : view.money === null ? (
        <Amounts view={view} />
      ) : (
        <ChannelMoney money={view.money} {...props} />
      )}
    </section>
  );
}

function ChannelMoney({ money, actor, feed, source }: ActorViewProps & { money: Money }) {
  const row = feed.view.value?.row;
  const token = row?.token ?? null;
  return (
    <>
      <Lamp actor={actor} money={money} token={token} />
      <Sides actor={actor} money={money} token={token} isOver={row?.isEnded === true} />
      {row?.isEnded !== true && (
        <OlderProofs
          money={money}
          token={token}
          actor={actor}
          source={source}
          isOpen={isOpen(row?.state ?? '')}
        />
      )}
      <BalancePlot actor={actor} feed={feed} token={token} />
    </>
  );
}

/** Whether either side can still close the channel with a balance proof of its choice. */
function isOpen(state: string): boolean {
  return /^(opening|opened)/.test(state);
}

/** Whether the amounts add up, in green or red, with the equation. */
type LampProps = { actor: string; money: Money; token: string | null };

function Lamp({ actor, money, token }: LampProps) {
  const { balances, withdrawn, reserved, deposits, missing } = conservation(money);
  const isGood = money.isConserved && missing === 0n;
  const fault =
    missing === 0n
      ? 'what is locked is not what the locks say, or more than there is'
      : `${amountText(missing, token)} unaccounted for`;
  return (
    <p class={`conserved ${isGood ? 'conserved-good' : 'conserved-bad'}`} role="status">
      <span class="conserved-mark" aria-hidden="true">
        {isGood ? '✓' : '✕'}
      </span>
      <strong>{isGood ? 'Conserved' : `Not conserved: ${fault}`}</strong>
      <span class="conserved-sum">
        balances <AmountText value={balances} token={token} of={`${actor}/both.balance`} /> +
        withdrawn <AmountText value={withdrawn} token={token} of={`${actor}/both.withdrawn`} />
        {reserved !== 0n && (
          <>
            {' '}
            + promised <AmountText value={reserved} token={token} of={`${actor}/both.reserved`} />
          </>
        )}{' '}
        {isGood ? '=' : '≠'} deposits{' '}
        <AmountText value={deposits} token={token} of={`${actor}/both.deposit`} />
      </span>
    </p>
  );
}

function ChannelLink({ label, actor }: { label: string; actor: string }) {
  const { kind, name } = actorName(actor);
  return (
    <p>
      {label}{' '}
      <a href={pageHash({ view: 'money', actor })} title={actor}>
        {kind} {name}
      </a>
    </p>
  );
}

function Amounts({ view }: { view: ActorView }) {
  const { amounts, channels } = amountsOf(view.row, view.context);
  if (amounts.length === 0 && channels.length === 0)
    return <p class="pane pane-empty">This actor holds no money.</p>;
  return (
    <div class="pane">
      <h2>Amounts</h2>
      <table class="exact">
        <TableHead columns={['What', ['Amount', 'number'], 'Of it']} />
        <tbody>
          {amounts.map(({ label, amount, note }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <AmountCell
                value={amount}
                token={view.row.token}
                of={`${view.row.actor}/${label.toLowerCase().replaceAll(' ', '_')}`}
              />
              <td class="mark-quiet">{note}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {channels.map(({ label, actor }) => (
        <ChannelLink key={label} label={label} actor={actor} />
      ))}
    </div>
  );
}
