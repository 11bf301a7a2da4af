/** Which view is open, kept in the address after `#`: `#/`, `#/actors`, `#/actor/<id>/<view>?step=<seq>`. */

import { unescaped } from '../../page-parts/unescaped.ts';

export const ACTOR_VIEWS = ['chart', 'money', 'deadlines', 'sequence', 'history'] as const;
export type ActorViewName = (typeof ACTOR_VIEWS)[number];
/** `step`: the view shows the actor as it was after this step of the journal; absent: as it is now. */
export type PagePlace =
  | { view: 'home' }
  | { view: 'actors' }
  | { view: ActorViewName; actor: string; step?: number };

/** The place that an address names; for an unknown address what the node has and does. */
export function pagePlaceOf(hash: string): PagePlace {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const [, room, actor, name] = path.split('/').map(unescaped);
  const view = ACTOR_VIEWS.find((candidate) => candidate === name) ?? 'chart';
  if (room === 'actors') return { view: 'actors' };
  if (room !== 'actor' || !actor) return { view: 'home' };
  const step = stepIn(query);
  return step === null ? { view, actor } : { view, actor, step };
}

export function pageHash(place: PagePlace): string {
  if (place.view === 'home') return '#/';
  if (place.view === 'actors') return '#/actors';
  const query = place.step === undefined ? '' : `?step=${place.step}`;
  return `#/actor/${encodeURIComponent(place.actor)}/${place.view}${query}`;
}

function stepIn(query: string): number | null {
  const text = new URLSearchParams(query).get('step') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
