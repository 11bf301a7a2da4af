/** Which view is open, kept in the address after `#`: `#/fleet`, `#/actor/<id>/<view>`. */

export const ACTOR_VIEWS = ['chart', 'money', 'deadlines', 'sequence', 'history'] as const;
export type ActorViewName = (typeof ACTOR_VIEWS)[number];
export type Place = { view: 'fleet' } | { view: ActorViewName; actor: string };

/** What an address means; one that means nothing is the fleet. */
export function placeOf(hash: string): Place {
  const [, room, actor, name] = hash.replace(/^#/, '').split('/').map(decode);
  const view = ACTOR_VIEWS.find((candidate) => candidate === name) ?? 'chart';
  return room === 'actor' && actor ? { view, actor } : { view: 'fleet' };
}

export function hashOf(place: Place): string {
  return place.view === 'fleet'
    ? '#/fleet'
    : `#/actor/${encodeURIComponent(place.actor)}/${place.view}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
