/** One channel as both of its nodes see it, side by side, with what they disagree on. */
import { grouped } from '../../basics/digits.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { tokenDecimals, tokenName } from '../../page-parts/labels.ts';
import { textAt } from '../base/fields.ts';
import { actorName } from '../base/names.ts';
import { pageHash } from '../base/router.ts';
import { ChannelForm, type OpenSide } from './play/channel-form.tsx';
import type { DevnetPlay } from './play/play.ts';
import { agreementOf, type NodeSide, type SeenChannel } from './sides.ts';
import type { NetworkNode } from './watch.ts';

type SidesProps = {
  channel: SeenChannel;
  nodes: readonly NetworkNode[];
  /** Null: the page cannot command the nodes. */
  play: DevnetPlay | null;
};

const SAYINGS = {
  agreed: '● Both sides hold the same.',
  alone: '◌ Only one side has told of this channel yet.',
  underWay: '◐ Something is on its way from one side to the other.',
  disputed: '▲ The two sides contradict each other.',
};

export function ChannelSides({ channel, nodes, play }: SidesProps) {
  const { verdict, differences } = agreementOf(channel);
  const token = textAt(channel.sides[0].view.context, 'token');
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
      <p class={`network-verdict ${verdict}`} role="status">
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

const ROWS: readonly [title: string, read: (side: NodeSide) => string][] = [
  ['State', ({ view }) => view.row.state.replaceAll('+', '\n')],
  ['Nearest deadline', ({ view }) => blockText(view.row.deadlineBlock)],
  ['Locks', ({ view }) => String(view.deadlines.filter(({ what }) => what === 'lock').length)],
];
const MONEY = ['deposit', 'withdrawn', 'balance', 'locked', 'capacity', 'nonce'] as const;

type TableProps = Omit<SidesProps, 'play'> & { token: string | null };

function SidesTable({ channel: { sides }, nodes, token }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">As seen by</th>
          {sides.map(({ node, view }) => (
            <th scope="col" key={node}>
              <a href={linkTo(nodes, node, view.row.actor)}>{node}</a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([title, read]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            {sides.map((side) => (
              <td key={side.node}>{read(side)}</td>
            ))}
          </tr>
        ))}
        {MONEY.map((field) => (
          <tr key={field}>
            <th scope="row">Own {field}</th>
            {sides.map(({ node, view }) => (
              <td class="number" key={node}>
                {view.money === null ? (
                  '–'
                ) : field === 'nonce' ? (
                  grouped(view.money.own.nonce)
                ) : (
                  <AmountText value={view.money.own[field]} token={token} />
                )}
              </td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">Conserved</th>
          {sides.map(({ node, view }) => (
            <td key={node}>{view.money?.isConserved === true ? '● yes' : '▲ NO'}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

/** The nodes for which the channel is still open. */
function openSidesOf({ sides }: SeenChannel): OpenSide[] {
  return sides.flatMap(({ node, view: { money, row } }) =>
    money === null || !row.state.startsWith('opened')
      ? []
      : [
          {
            node,
            partner: money.partner.address,
            deposit: money.own.deposit,
            withdrawn: money.own.withdrawn,
          },
        ],
  );
}

function blockText(block: bigint | null): string {
  return block === null ? 'none' : `#${grouped(block)}`;
}

function linkTo(nodes: readonly NetworkNode[], name: string, actor: string): string {
  const base = nodes.find((node) => node.name === name)?.base ?? '';
  return `${base}${pageHash({ view: 'chart', actor })}`;
}
