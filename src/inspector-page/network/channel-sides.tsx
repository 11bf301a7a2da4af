/** One channel as both of its nodes see it, side by side, with what they disagree on. */
import { grouped } from '../../basics/digits.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import type { ActorView } from '../../inspector/wire.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { type Claim, type FigureUnit, figureOf } from '../../page-parts/figure.ts';
import { tokenDecimals, tokenName } from '../../page-parts/labels.ts';
import { textAt } from '../base/fields.ts';
import { actorName } from '../base/names.ts';
import { pageHash } from '../base/router.ts';
import { ChannelForm, type OpenSide } from './play/channel-form.tsx';
import type { DevnetPlay } from './play/play.ts';
import { agreementOf, type Party, type SeenChannel } from './sides.ts';
import type { NetworkNode } from './watched.ts';

type SidesProps = {
  channel: SeenChannel;
  nodes: readonly NetworkNode[];
  /** Null: the page cannot command the nodes. */
  play: DevnetPlay | null;
};

const SAYINGS = {
  agreed: '● Both sides hold the same.',
  alone: '◌ Only one side holds this channel now.',
  away: '○ A side does not answer: nobody can compare the two.',
  underWay: '◐ Something is on its way from one side to the other.',
  disputed: '▲ The two sides contradict each other.',
};

export function ChannelSides({ channel, nodes, play }: SidesProps) {
  const { verdict, differences } = agreementOf(channel);
  const token = textAt(channel.sides[0]?.view.context, 'token');
  const decimals = token === null ? null : tokenDecimals(token);
  const { kind, name } = actorName(channel.id);
  return (
    <div class="network-sides">
      <p>
        <span title={channel.id}>
          {kind} {name}
        </span>
        {token !== null && <span title={token}>, {tokenName(token)}</span>}
      </p>
      <p
        class={`network-verdict ${verdict}`}
        role="status"
        {...figureOf({ of: `network/${channel.id}/verdict`, value: verdict, unit: 'word' })}
      >
        {SAYINGS[verdict]}
      </p>
      {differences.length > 0 && <Differences channel={channel} differences={differences} />}
      <SidesTable channel={channel} nodes={nodes} token={token} />
      {play === null || token === null || decimals === null ? null : (
        <ChannelForm
          key={channel.id}
          play={play}
          token={token}
          symbol={tokenName(token)}
          decimals={decimals}
          sides={openSidesOf(channel)}
        />
      )}
    </div>
  );
}

type DifferencesProps = {
  channel: SeenChannel;
  differences: ReturnType<typeof agreementOf>['differences'];
};

function Differences({ channel, differences }: DifferencesProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">What differs</th>
          {channel.sides.map(({ node }) => (
            <th scope="col" key={node}>
              {node} says
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {differences.map(({ field, first, second }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{shortId(first)}</td>
            <td>{shortId(second)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Row = [
  title: string,
  what: string,
  unit: FigureUnit,
  read: (view: ActorView) => bigint | number | string,
];
/** What a node says of the channel itself: nobody else can say it. */
const ROWS: readonly Row[] = [
  ['State', 'state', 'word', ({ row }) => row.state],
  ['Nearest deadline', 'deadline', 'block', ({ row }) => row.deadlineBlock ?? 'none'],
  ['Locks', 'locks', 'count', ({ deadlines }) => locksIn(deadlines)],
  ['Conserved', 'conserved', 'word', ({ money }) => (money?.isConserved === true ? 'yes' : 'no')],
];
const MONEY = ['deposit', 'withdrawn', 'balance', 'locked', 'capacity', 'nonce'] as const;

const locksIn = (deadlines: ActorView['deadlines']) =>
  deadlines.filter(({ what }) => what === 'lock').length;

type TableProps = Omit<SidesProps, 'play'> & { token: string | null };

function SidesTable({ channel: { parties, id }, nodes, token }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">As seen by</th>
          {parties.map((party) => (
            <th scope="col" key={party.name}>
              <PartyName party={party} href={linkTo(nodes, party.name, id)} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([title, what, unit, read]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            {parties.map(({ name, told }) =>
              told?.end !== 'own' ? (
                <td key={name}>–</td>
              ) : (
                <Fact
                  key={name}
                  claim={{ of: `${name}/${id}/${what}`, value: read(told.view), unit }}
                />
              ),
            )}
          </tr>
        ))}
        {MONEY.map((field) => (
          <tr key={field}>
            <th scope="row">Own {field}</th>
            {parties.map(({ name, told }) => (
              <td class="number" key={name}>
                {told === null ? (
                  '–'
                ) : field === 'nonce' ? (
                  <Plain of={`${told.of}.nonce`} value={told.money.nonce} />
                ) : (
                  <AmountText value={told.money[field]} token={token} of={`${told.of}.${field}`} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Who tells of this side, if it is not its own node. */
function PartyName({ party: { name, isAway, told }, href }: { party: Party; href: string | null }) {
  const shown = href === null || isAway ? name : <a href={href}>{name}</a>;
  if (!isAway && told?.end === 'own') return shown;
  const why = isAway ? '✕ does not answer' : 'does not tell';
  return (
    <>
      {shown}
      {`\n${why}${told === null ? '' : ': this is what the other side knows'}`}
    </>
  );
}

const Plain = ({ of, value }: { of: string; value: bigint }) => (
  <span {...figureOf({ of, value, unit: 'count' })}>{grouped(value)}</span>
);

function Fact({ claim }: { claim: Claim }) {
  const { value, unit } = claim;
  if (typeof value === 'string')
    return <td {...figureOf({ ...claim, unit: 'word' })}>{wordText(value)}</td>;
  return (
    <td {...figureOf(claim)}>
      {unit === 'block' ? '#' : ''}
      {grouped(BigInt(value))}
    </td>
  );
}

function wordText(value: string): string {
  if (value === 'yes') return '● yes';
  return value === 'no' ? '▲ NO' : value.replaceAll('+', '\n');
}

/** The nodes for which the channel is still open. */
function openSidesOf({ parties }: SeenChannel): OpenSide[] {
  return parties.flatMap(({ name, told }) =>
    told?.end !== 'own' || told.view.money === null || !told.view.row.state.startsWith('opened')
      ? []
      : [
          {
            node: name,
            partner: told.view.money.partner.address,
            deposit: told.money.deposit,
            withdrawn: told.money.withdrawn,
          },
        ],
  );
}

/** Null: it is no node of this network. */
function linkTo(nodes: readonly NetworkNode[], name: string, actor: string): string | null {
  const base = nodes.find((node) => node.name === name)?.base;
  return base === undefined ? null : `${base}${pageHash({ view: 'chart', actor })}`;
}
