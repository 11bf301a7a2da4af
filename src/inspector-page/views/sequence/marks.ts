/**
 * Reads from the steps of one node who sent what to whom: one mark for each end of an arrow.
 *
 * A message between two actors, or two nodes, leaves two marks when the steps of both are known: one where it was
 * sent and one where it was received. `traces.ts` pairs the marks.
 */
import type { InspectionRecord, StepRecords } from '../../../inspector/wire.ts';
import { bigintAt, fieldOf, textAt } from '../../base/fields.ts';
import { describeMessage, describeOther, messageOf } from './words.ts';

/** Steps of one node, oldest first. `name`: of its lifeline; `token`: of the amounts, when it is known. */
export type TraceSource = {
  address: string;
  name: string;
  token: string | null;
  steps: readonly StepRecords[];
};
/** The node whose steps are read, and the token of the amounts. */
type Teller = Pick<TraceSource, 'address' | 'token'>;

/** The place of a mark in a node's journal. `node` is the address. */
export type MarkPlace = {
  node: string;
  actor: string;
  seq: number;
  part: number;
  block: bigint;
  time: number;
};
type Peer =
  | { kind: 'caller' }
  | { kind: 'chain' }
  | { kind: 'partner'; address: string }
  | { kind: 'actor'; actor: string };
export type MarkKind =
  | 'call'
  | 'reply'
  | 'message'
  | 'transaction'
  | 'log'
  | 'told'
  | 'spawn'
  | 'note'
  | 'gap';

export type Mark = {
  place: MarkPlace;
  kind: MarkKind;
  /** `out`: the actor of `place` sends it to `peer`; `in`: it receives it from `peer`. */
  direction: 'in' | 'out';
  peer: Peer;
  /**
   * Keys that the mark at the other end has too; the first that is known there counts. Empty: there is no other
   * end.
   */
  identities: readonly string[];
  label: string;
  detail: string;
  /** The state that the event led the actor to; null when it stayed. */
  outcome: string | null;
  /** The event or effect, unchanged. */
  body: unknown;
};

/** The marks of a node in the order of its journal. */
export function marksOf({ steps, ...teller }: TraceSource): Mark[] {
  return steps.flatMap((step) => {
    const outcome = outcomeOf(step);
    const marks = step.flatMap((record) => markOf(teller, record, outcome) ?? []);
    return isIdle(step, marks) ? [] : marks;
  });
}

/** Whether the step only reports a new block, from which nothing followed. */
function isIdle(step: StepRecords, marks: readonly Mark[]): boolean {
  const isBlock = step.some(
    (record) => record.kind === 'event' && record.event.type === 'chain.block',
  );
  return isBlock && marks.length === 1 && marks[0]?.outcome === null;
}

function outcomeOf(step: StepRecords): string | null {
  const moves = step.filter((record) => record.kind === 'transition');
  const [first, last] = [moves[0], moves.at(-1)];
  return first === undefined || last === undefined || first.from === last.to ? null : last.to;
}

type Said = Pick<Mark, 'kind' | 'peer' | 'identities' | 'label' | 'detail'>;

function markOf(teller: Teller, record: InspectionRecord, outcome: string | null): Mark | null {
  const { actor, seq, part, block, time } = record;
  const place = { node: teller.address, actor, seq, part, block, time };
  switch (record.kind) {
    case 'event': {
      const { event, cause } = record;
      const said = cause.from === 'actor' ? toldBy(teller, record, cause) : heard(teller, event);
      return { place, direction: 'in', outcome, body: event, ...said };
    }
    case 'effect': {
      const said = asked(teller, place, record.effect);
      return said && { place, direction: 'out', outcome: null, body: record.effect, ...said };
    }
    case 'spawn':
      return spawned(teller, place, record);
    case 'gap': {
      const label = record.first === seq ? `step ${seq}` : `steps ${record.first} to ${seq}`;
      const facts = { peer: { kind: 'actor', actor }, identities: [], outcome: null } as const;
      const detail = GAPS[record.reason];
      return { place, kind: 'gap', direction: 'in', label, detail, body: null, ...facts };
    }
    default:
      return null;
  }
}

const GAPS = {
  old: 'the journal no longer holds them',
  slow: 'this page did not keep up',
  other: 'made by another version of the charts',
};

type Spawned = Extract<InspectionRecord, { kind: 'spawn' }>;

function spawned(
  { address: node, token }: Teller,
  place: MarkPlace,
  { cause, input, machine, isRestored }: Spawned,
): Mark | null {
  if (isRestored || cause.from !== 'actor') return null;
  return {
    place,
    kind: 'spawn',
    direction: 'in',
    outcome: null,
    body: input,
    peer: { kind: 'actor', actor: cause.actor },
    identities: [`spawned ${node} ${place.actor}`],
    label: `new ${machine}`,
    detail: describeOther(input, token),
  };
}

type Told = Extract<InspectionRecord, { kind: 'event' }>;

/**
 * An event from another actor. Its second key lacks the receiver, which the sender may have named indirectly
 * (`hop:…`).
 */
function toldBy(
  { address: node, token }: Teller,
  { actor, event }: Told,
  from: { actor: string; seq: number | null },
): Said {
  const said = `told ${node} ${from.actor} ${from.seq} ${event.type}`;
  return {
    kind: 'told',
    peer: { kind: 'actor', actor: from.actor },
    identities: from.seq === null ? [] : [`${said} ${actor}`, `${said} *`],
    label: event.type.replace(/^actor\./, ''),
    detail: describeOther(event, token),
  };
}

type Body = { type: string } & Record<string, unknown>;

/** An event from outside the node. */
function heard({ address: node, token }: Teller, event: Body): Said {
  const [family = '', ...rest] = event.type.split('.');
  const label = rest.join('.');
  const sender = textAt(event, 'sender');
  if (family === 'msg' && sender !== null) {
    const message = messageOf(event);
    const identities = identitiesOf(message, sender, node, textAt(event, 'secrethash'));
    return {
      kind: 'message',
      peer: partner(sender),
      identities,
      ...describeMessage(message, token),
    };
  }
  if (family === 'cmd') {
    return { ...call(label, event, token), identities: [] };
  }
  if (event.type === 'chain.tx') {
    const isDone = fieldOf(event, 'ok') === true;
    const mined = bigintAt(event, 'minedBlock');
    const detail = isDone ? `in block #${mined}` : (textAt(event, 'code') ?? '');
    const facts = { kind: 'log', peer: { kind: 'chain' }, identities: [] } as const;
    return { ...facts, label: isDone ? 'mined' : 'failed', detail };
  }
  // An event from the node itself, such as its start, or a partner that answers again.
  if (family === 'actor')
    return {
      kind: 'told',
      peer: { kind: 'actor', actor: 'node' },
      identities: [],
      label,
      detail: describeOther(event, token),
    };
  const isOfChain = family === 'chain';
  return {
    kind: isOfChain ? 'log' : 'call',
    peer: { kind: isOfChain ? 'chain' : 'caller' },
    identities: [],
    label: isOfChain ? label : event.type,
    detail: describeOther(event, token),
  };
}

function call(label: string, event: Body, token: string | null): Omit<Said, 'identities'> {
  return { kind: 'call', peer: { kind: 'caller' }, label, detail: describeOther(event, token) };
}

const partner = (address: string): Peer => ({ kind: 'partner', address });

/** An effect that the actor asked for; null: only the node itself sees it. */
function asked(teller: Teller, place: MarkPlace, effect: Body): Said | null {
  const { address: node, token } = teller;
  const [family = '', ...rest] = effect.type.split('.');
  const label = rest.join('.');
  const to = textAt(effect, 'to');
  if (family === 'send' && to !== null) {
    const message = messageOf(effect);
    const identities = identitiesOf(message, node, to, secrethashIn(place.actor));
    return { kind: 'message', peer: partner(to), identities, ...describeMessage(message, token) };
  }
  switch (family) {
    case 'notify':
      return to === null ? null : telling(teller, place, to, effect);
    case 'spawn': {
      const id = textAt(effect, 'id') ?? '';
      const facts = { kind: 'spawn', peer: { kind: 'actor', actor: id } } as const;
      const detail = describeOther(fieldOf(effect, 'input'), token);
      return { ...facts, identities: [`spawned ${node} ${id}`], label: `new ${label}`, detail };
    }
    case 'tx': {
      const facts = { kind: 'transaction', peer: { kind: 'chain' }, identities: [] } as const;
      return { ...facts, label, detail: describeOther(effect, token) };
    }
    case 'reply': {
      const detail = textAt(effect, 'code') ?? describeOther(fieldOf(effect, 'value'), token);
      return { kind: 'reply', peer: { kind: 'caller' }, identities: [], label, detail };
    }
    case 'record':
      return label === 'proof' ? null : noted(teller, place.actor, label, effect);
    case 'report':
      return label === 'refused' ? noted(teller, place.actor, label, effect) : null;
    default:
      return null;
  }
}

function noted({ token }: Teller, actor: string, label: string, effect: Body): Said {
  const detail =
    textAt(effect, 'reason') ?? textAt(effect, 'detail') ?? describeOther(effect, token);
  return { kind: 'note', peer: { kind: 'actor', actor }, identities: [], label, detail };
}

function telling(
  { address: node, token }: Teller,
  place: MarkPlace,
  to: string,
  effect: Body,
): Said {
  const event = fieldOf(effect, 'event');
  const type = textAt(event, 'type') ?? '';
  const said = `told ${node} ${place.actor} ${place.seq} ${type}`;
  // `hop:…` is the channel with a partner; which channel that is gets decided when the event is delivered.
  const identities = [to.startsWith('hop:') ? `${said} *` : `${said} ${to}`];
  const label = type.replace(/^actor\./, '');
  return {
    kind: 'told',
    peer: { kind: 'actor', actor: to },
    identities,
    label,
    detail: describeOther(event, token),
  };
}

/** The secrethash in the id of a payment's actor: the message's own secret is hidden. */
function secrethashIn(actor: string): string | null {
  return /^(?:initiator|mediator|target):(0x[0-9a-f]{64})$/.exec(actor)?.[1] ?? null;
}

/**
 * What both ends know of a message: the sender, the receiver, and what makes it different from others of its type.
 * Not its identifier, which is chosen only after the effect was asked for.
 */
function identitiesOf(
  message: unknown,
  sender: string,
  receiver: string,
  secrethash: string | null,
): string[] {
  const type = textAt(message, 'type');
  if (type === null) return [];
  const channel = `${textAt(message, 'tokenNetwork')}:${bigintAt(message, 'channelId')}`;
  const nonce = bigintAt(message, 'nonce');
  const hash = textAt(message, 'secrethash') ?? secrethash;
  const marks =
    type === 'Sync'
      ? [channel, ...SYNC_FIELDS.map((name) => fieldOf(message, name))]
      : nonce === null
        ? [hash ?? bigintAt(message, 'messageId')]
        : [channel, nonce];
  return marks.includes(null) ? [] : [['msg', type, sender, receiver, ...marks].join(' ')];
}

const SYNC_FIELDS = ['signedNonce', 'acceptedNonce', 'answer'];
