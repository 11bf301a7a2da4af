/**
 * A sequence diagram as data: lifelines and the arrows between them, made from the steps of actors.
 *
 * `sequenceOf(sources, options)` takes the steps of one node or of several (one `TraceSource` each, in the order in
 * which their lifelines shall be drawn). A message that two of them know is drawn as one arrow.
 */
import type { StepRecords } from '../../../inspector/wire.ts';
import { mentions } from '../../base/fields.ts';
import { actorLine, CHAIN, callerLine, type Lifeline, lifelinesOf, nodeLine } from './lifelines.ts';
import type { Mark, MarkKind, MarkPlace, TraceSource } from './marks.ts';
import { narrowed } from './narrowed.ts';
import { mergeTraces, type Passage } from './traces.ts';

/**
 * `from` and `to` are lifelines; the same one for a note. `fate`: `again`: it had arrived before; `open`: it has
 * not arrived although the receiver's steps are known. `body`: the event or effect, secrets hidden.
 */
export type Arrow = {
  id: string;
  kind: Exclude<MarkKind, 'gap'>;
  from: string;
  to: string;
  label: string;
  detail: string;
  fate: 'told' | 'again' | 'open';
  sent: MarkPlace | null;
  taken: MarkPlace | null;
  outcome: string | null;
  block: bigint;
  body: unknown;
};
export type SequenceItem =
  | { kind: 'arrow'; arrow: Arrow }
  /** Everything below happened at this newer block. */
  | { kind: 'block'; block: bigint }
  | { kind: 'gap'; text: string };
/** `hidden`: how many older arrows were left out. */
export type Sequence = { lifelines: Lifeline[]; items: SequenceItem[]; hidden: number };

/** `expanded`: nodes whose actors have a lifeline each. `last`: the most arrows that are drawn, the newest. */
export type SequenceOptions = { expanded: ReadonlySet<string>; last: number };

export function sequenceOf(
  sources: readonly TraceSource[],
  { expanded, last }: SequenceOptions,
): Sequence {
  const passages = mergeTraces(sources);
  const ends = createEnds(expanded, passages);
  const here = new Set(sources.map(({ address }) => address));
  const drawn = passages.flatMap((passage) => itemOf(passage, ends, here) ?? []);
  const hidden = Math.max(0, drawn.length - last);
  const items = drawn.slice(hidden);
  const arrows = items.flatMap((item) => (item.kind === 'arrow' ? [item.arrow] : []));
  return { lifelines: lifelinesOf(arrows, sources), items: withBlocks(items), hidden };
}

/** The steps that mention one of `words` (secrethashes, identifiers, actors), as far as they are about them. */
export function stepsAbout(
  steps: readonly StepRecords[],
  words: ReadonlySet<string | bigint>,
): StepRecords[] {
  const isAbout = (step: StepRecords) =>
    step.some((record) => words.has(record.actor) || mentions(record, words));
  return steps.filter(isAbout).map((step) => narrowed(step, words));
}

type Ends = { from: string; to: string } | null;
type Drawn = { block: bigint } & Exclude<SequenceItem, { kind: 'block' }>;

function itemOf(
  passage: Passage,
  ends: (passage: Passage) => Ends,
  here: ReadonlySet<string>,
): Drawn | null {
  const { sent, taken } = passage;
  const said = sent ?? taken;
  if (said === null) return null;
  const { kind, label, detail, place, body } = said;
  const { block } = place;
  if (kind === 'gap') return { kind: 'gap', block, text: `${label}: ${detail}` };
  const found = ends(passage);
  if (found === null) return null;
  const places = { sent: sent?.place ?? null, taken: taken?.place ?? null };
  const id = `${place.node}/${place.seq}.${place.part}`;
  const fate = fateOf(passage, here);
  const outcome = taken?.outcome ?? null;
  const facts = { kind, label, detail, outcome, block, body, ...places };
  return { kind: 'arrow', block, arrow: { id, ...found, fate, ...facts } };
}

/** `Processed` is never `open`: an acknowledgement reaches no actor, so that no step shows its arrival. */
function fateOf({ sent, taken, isAgain }: Passage, here: ReadonlySet<string>): Arrow['fate'] {
  if (isAgain) return 'again';
  const isExpected = taken === null && sent?.peer.kind === 'partner' && here.has(sent.peer.address);
  return isExpected && sent.label !== 'Processed' ? 'open' : 'told';
}

/** Receivers that may not exist: a channel sends events to every role that a node can have in a payment. */
const BY_PART = /^(initiator|mediator|target|hop):/;

/** Finds the lifelines of a passage; null: it is not drawn. */
function createEnds(
  expanded: ReadonlySet<string>,
  passages: readonly Passage[],
): (passage: Passage) => Ends {
  const known = new Set(passages.flatMap(actorsOf));
  const ownEnd = ({ place: { node, actor } }: Mark) =>
    expanded.has(node) ? actorLine(node, actor) : nodeLine(node);

  function otherEnd({ place: { node }, peer }: Mark): string {
    if (peer.kind === 'chain') return CHAIN;
    if (peer.kind === 'caller') return callerLine(node);
    if (peer.kind === 'partner') return nodeLine(peer.address);
    return expanded.has(node) ? actorLine(node, peer.actor) : nodeLine(node);
  }

  return ({ sent, taken }) => {
    const from = sent !== null ? ownEnd(sent) : taken !== null ? otherEnd(taken) : null;
    const to = taken !== null ? ownEnd(taken) : sent !== null ? otherEnd(sent) : null;
    const kind = (sent ?? taken)?.kind;
    if (from === null || to === null) return null;
    if (kind === 'note') return { from, to };
    const isToNobody =
      sent?.peer.kind === 'actor' &&
      taken === null &&
      BY_PART.test(sent.peer.actor) &&
      !known.has(actorLine(sent.place.node, sent.peer.actor));
    return from === to || isToNobody ? null : { from, to };
  };
}

/** The actors that certainly exist, as the passage shows. */
function actorsOf({ sent, taken }: Passage): string[] {
  const own = [sent, taken].flatMap((mark) =>
    mark === null ? [] : [actorLine(mark.place.node, mark.place.actor)],
  );
  const teller =
    taken?.peer.kind === 'actor' ? [actorLine(taken.place.node, taken.peer.actor)] : [];
  const child =
    sent?.kind === 'spawn' && sent.peer.kind === 'actor'
      ? [actorLine(sent.place.node, sent.peer.actor)]
      : [];
  return [...own, ...teller, ...child];
}

function withBlocks(drawn: readonly Drawn[]): SequenceItem[] {
  let newest = -1n;
  return drawn.flatMap(({ block, ...item }): SequenceItem[] => {
    if (block <= newest) return [item];
    newest = block;
    return [{ kind: 'block', block }, item];
  });
}

export type DiagramProps = {
  sequence: Sequence;
  /** The link that shows a step; null: there is none. */
  linkTo(place: MarkPlace): string | null;
  /** The payment that an arrow is about; null: none. */
  traceOf?(arrow: Arrow): { name: string; href: string } | null;
};
