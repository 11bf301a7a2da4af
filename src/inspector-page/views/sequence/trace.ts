/**
 * One payment across the actors of a node: all steps of its own actors, and the channels' steps about it. They are
 * read from the actors' histories, so that a finished payment can be traced as well.
 */
import type { InspectorSource } from '../../../inspector/source.ts';
import type { StepRecords } from '../../../inspector/wire.ts';
import { textAt } from '../../base/fields.ts';
import { stepsAbout } from './arrows.ts';

/** `isCut`: steps are missing, since there were too many to read. */
export type PaymentSteps = { steps: StepRecords[]; isCut: boolean };

type Reader = Pick<InspectorSource, 'read'>;

const PAYMENT = /^(?:initiator|mediator|target):(0x[0-9a-f]{64})$/;
const AT_ONCE = 200;
/** The most pages of one actor's history that are read. */
const MOST_PAGES = 10;
/** The most attempts at one payment that are followed. */
const MOST_ATTEMPTS = 12;
/** Within so many steps of the whole node after the payment's last one, its channels take their last steps. */
const AFTERMATH = 200;

export function isPayment(actor: string): boolean {
  return PAYMENT.test(actor);
}

/** Everything about the payment of which `actor` is one attempt. Throws what the source throws. */
export async function gatherTrace(source: Reader, actor: string): Promise<PaymentSteps> {
  const { steps: own, isCut } = await readAttempts(source, actor);
  const numbers = own.flatMap((step) => step.flatMap(({ seq, cause }) => [seq, causeSeq(cause)]));
  const known = numbers.filter((seq) => seq !== null);
  if (known.length === 0) return { steps: own, isCut };
  const range = { first: Math.min(...known), last: Math.max(...known) };
  // Of a busy channel's steps these are few, and each of all of them tells of dozens of locks.
  const hashes = new Set(actorsIn(own).flatMap((id) => PAYMENT.exec(id)?.[1] ?? []));
  const about = new Set(actorsIn(own).flatMap((id) => PAYMENT.exec(id) ?? []));
  const others = actorsIn(own).filter((id) => id === 'node' || id.startsWith('channel:'));
  const pages = await Promise.all(
    others.map((id) => readRange(source, id, { ...range, about: [...hashes].join(',') })),
  );
  const steps = pages.flatMap((page) => stepsAbout(page.steps, about));
  return {
    steps: stepsInOrder([...own, ...steps]),
    isCut: isCut || pages.some((page) => page.isCut),
  };
}

/** The steps of the payment's own actors on this node; each attempt spawns the next. */
async function readAttempts(source: Reader, actor: string): Promise<PaymentSteps> {
  const waiting = [actor];
  const read = new Map<string, StepRecords[]>();
  let isCut = false;
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    if (read.has(id) || read.size >= MOST_ATTEMPTS) continue;
    const found = await readRange(source, id, { first: 0, last: null });
    isCut ||= found.isCut;
    read.set(id, found.steps);
    waiting.push(...kinOf(found.steps));
  }
  return { steps: stepsInOrder([...read.values()].flat()), isCut };
}

/** The previous and the next attempts of the payment. */
function kinOf(steps: readonly StepRecords[]): string[] {
  return steps.flat().flatMap((record) => {
    if (record.kind === 'spawn' && record.cause.from === 'actor')
      return payment(record.cause.actor);
    if (record.kind !== 'effect' || record.effect.type !== 'spawn.initiator') return [];
    return payment(textAt(record.effect, 'id') ?? '');
  });
}

const payment = (id: string) => (isPayment(id) ? [id] : []);

/** All actors that took part: those of the steps, those that sent them events, and those that they sent events to. */
function actorsIn(steps: readonly StepRecords[]): string[] {
  const found = steps.flat().flatMap((record) => {
    const teller = record.cause.from === 'actor' ? [record.cause.actor] : [];
    const told = record.kind === 'effect' ? [textAt(record.effect, 'to') ?? ''] : [];
    return [record.actor, ...teller, ...told];
  });
  return [...new Set(found)];
}

const causeSeq = (cause: StepRecords[number]['cause']) =>
  cause.from === 'actor' ? cause.seq : null;

/** `about`: secrethashes with commas between. */
type Range = { first: number; last: number | null; about?: string };

/** The actor's steps from `first` to `AFTERMATH` steps after `last`; with `about` only those that say one of these. */
async function readRange(
  source: Reader,
  actor: string,
  { first, last, about }: Range,
): Promise<PaymentSteps> {
  const path = `actors/${encodeURIComponent(actor)}/history`;
  let steps: readonly StepRecords[] = [];
  let before = last === null ? null : last + AFTERMATH;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = {
      ...{ limit: `${AT_ONCE}`, after: `${Math.max(0, first - 1)}` },
      ...(before === null ? {} : { before: `${before}` }),
      ...(about === undefined ? {} : { about }),
    };
    const history = await source.read('history', path, query);
    steps = [...history.steps, ...steps];
    before = steps[0]?.[0]?.seq ?? 0;
    if (!history.hasMore || before <= first) return { steps: [...steps], isCut: false };
  }
  return { steps: [...steps], isCut: true };
}

/** Each step once, ordered by its number. */
export function stepsInOrder(steps: readonly StepRecords[]): StepRecords[] {
  const byNumber = new Map(steps.map((step) => [step[0]?.seq ?? 0, step]));
  return [...byNumber.entries()].sort(([a], [b]) => a - b).map(([, step]) => step);
}

/**
 * The actor of the payment that a step is about, when it is certain. A channel sends its events to every role that
 * a node can have in a payment, so only an actor that sent it something, or that it spawned, counts.
 */
export function paymentIn(step: StepRecords): string | null {
  const found = step.flatMap((record) => {
    const teller = record.cause.from === 'actor' ? payment(record.cause.actor) : [];
    const spawned = record.kind === 'effect' ? spawnedBy(record.effect) : null;
    return [...payment(record.actor), ...teller, ...(spawned === null ? [] : payment(spawned))];
  });
  return found[0] ?? null;
}

/** The actor that an effect spawns, or would if the node takes a lock. */
function spawnedBy(effect: { type: string }): string | null {
  if (effect.type === 'judge.lock') return textAt(effect, 'taken', 'id');
  return effect.type.startsWith('spawn.') ? textAt(effect, 'id') : null;
}
