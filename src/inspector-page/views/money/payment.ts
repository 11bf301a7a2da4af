/** The amounts of an actor that is not a channel, and the channels in which they move. */
import type { ListedActor } from '../../../inspector/wire.ts';
import { bigintAt, fieldOf, textAt } from '../../base/fields.ts';

export type ActorAmounts = {
  amounts: { label: string; amount: bigint; note: string }[];
  channels: { label: string; actor: string }[];
};

export function amountsOf({ machine, amount, state }: ListedActor, context: unknown): ActorAmounts {
  switch (machine) {
    case 'initiator':
      return ofInitiator(context);
    case 'mediator':
      return ofMediator(context);
    case 'target':
      return ofTarget(context, state);
    default:
      return named(amount === null ? [] : [['Amount', amount, '']], []);
  }
}

type Line = readonly [label: string, amount: bigint | null, note: string];
type Link = readonly [label: string, actor: string | null];

/** What the nodes on the way keep, and what the target gets of the rest, only they know. */
function ofInitiator(context: unknown): ActorAmounts {
  const amount = bigintAt(context, 'order', 'amount');
  const locked = bigintAt(context, 'order', 'lockAmount');
  const expiration = bigintAt(context, 'expiration');
  return named(
    [
      ['Amount', amount, 'what was asked for the target'],
      [
        'For fees',
        difference(locked, amount),
        'what nodes on the way do not keep of it, the target gets',
      ],
      [
        'Lock',
        locked,
        expiration === null
          ? 'not signed yet'
          : `what this node pays at most, until #${expiration}`,
      ],
    ],
    [['Paid through', textAt(context, 'order', 'channel')]],
  );
}

function ofMediator(context: unknown): ActorAmounts {
  const taken = bigintAt(context, 'amount');
  const passedOn = bigintAt(context, 'payee', 'amount');
  const until = `until #${bigintAt(context, 'expiration')}`;
  return named(
    [
      ['Lock that comes in', taken, until],
      ['Lock that goes on', passedOn, until],
      ['Fee', difference(taken, passedOn), 'what this node keeps'],
    ],
    [
      ['Comes in through', textAt(context, 'payer', 'channel')],
      ['Goes on through', textAt(context, 'payee', 'channel')],
    ],
  );
}

function ofTarget(context: unknown, state: string): ActorAmounts {
  const isKnown = fieldOf(context, 'secret') !== null;
  const until = `until #${bigintAt(context, 'expiration')}`;
  return named(
    [
      [
        'Amount',
        bigintAt(context, 'amount'),
        state === 'paid' ? 'received' : isKnown ? 'the secret is known' : 'no secret yet',
      ],
      ['Lock', bigintAt(context, 'amount'), until],
    ],
    [['Comes in through', textAt(context, 'channel')]],
  );
}

const difference = (a: bigint | null, b: bigint | null) =>
  a === null || b === null ? null : a - b;

function named(lines: readonly Line[], links: readonly Link[]): ActorAmounts {
  return {
    amounts: lines.flatMap(([label, amount, note]) =>
      amount === null ? [] : [{ label, amount, note }],
    ),
    channels: links.flatMap(([label, actor]) => (actor === null ? [] : [{ label, actor }])),
  };
}
