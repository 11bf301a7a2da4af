/** Finds the actor that a person means by a word. */
import type { ListedActor } from './wire.ts';

const NEAREST = 5;

/** `candidates`: actors of which one may have been meant: those that fit, when several do; else the nearest. */
export type FoundActor =
  | { ok: true; actor: string }
  | { ok: false; doSeveralFit: boolean; candidates: readonly string[] };

/**
 * Finds an actor by its id, a beginning of it, the short form that the texts show (`…` stands for anything), or a
 * payment's identifier. When live and ended actors fit, only the live ones count.
 */
export function findActor(rows: readonly ListedActor[], given: string): FoundActor {
  const wanted = given.toLowerCase();
  const exact = rows.find(({ actor }) => actor.toLowerCase() === wanted);
  if (exact !== undefined) return { ok: true, actor: exact.actor };
  const fitting = rows.filter((row) => fits(row, wanted));
  const living = fitting.filter(({ isEnded }) => !isEnded);
  const [only, ...others] = living.length > 0 ? living : fitting;
  if (only !== undefined && others.length === 0) return { ok: true, actor: only.actor };
  const near = fitting.length > 0 ? fitting : nearestTo(rows, wanted);
  const candidates = near.slice(0, NEAREST).map(({ actor }) => actor);
  return { ok: false, doSeveralFit: fitting.length > 0, candidates };
}

function fits({ actor, paymentId }: ListedActor, wanted: string): boolean {
  if (paymentId !== null && `${paymentId}` === wanted) return true;
  const [begin = '', ...parts] = wanted.split('…');
  const id = actor.toLowerCase();
  if (!id.startsWith(begin)) return false;
  let from = begin.length;
  for (const part of parts) {
    const place = id.indexOf(part, from);
    if (place === -1) return false;
    from = place + part.length;
  }
  return parts.length === 0 || id.endsWith(parts.at(-1) ?? '');
}

/** The actors whose id contains the word; if there are none, those whose id begins most like it. */
function nearestTo(rows: readonly ListedActor[], wanted: string): ListedActor[] {
  const holding = rows.filter(({ actor }) => actor.toLowerCase().includes(wanted));
  if (holding.length > 0) return holding;
  const alike = ({ actor }: ListedActor) => {
    let length = 0;
    while (length < wanted.length && actor[length]?.toLowerCase() === wanted[length]) length += 1;
    return length;
  };
  return rows.filter((row) => alike(row) > 0).toSorted((a, b) => alike(b) - alike(a));
}
