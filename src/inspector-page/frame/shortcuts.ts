/** Keyboard shortcuts of the frame; views handle further keys themselves. */
import { ACTOR_VIEWS, type PagePlace, pageHash } from '../base/router.ts';

export const SHORTCUTS: readonly { keys: string; does: string }[] = [
  { keys: '?', does: 'This list' },
  { keys: '/', does: 'Search' },
  { keys: 'h', does: 'What the node has and does' },
  { keys: 'f', does: 'The actors' },
  ...ACTOR_VIEWS.map((view, index) => ({
    keys: `${index + 1}`,
    does: `The actor’s view “${view}”`,
  })),
  { keys: 'Esc', does: 'Close what is open' },
  { keys: '← → ↑ ↓', does: 'Walk through cells, steps and states' },
  { keys: 'Enter', does: 'Open what is marked' },
];

export type Command = { do: 'help' } | { do: 'search' } | { do: 'go'; hash: string };

/** The command of a key at a place; null: the key has none. */
export function commandOf(key: string, place: PagePlace): Command | null {
  if (key === '?') return { do: 'help' };
  if (key === '/') return { do: 'search' };
  if (key === 'h') return { do: 'go', hash: pageHash({ view: 'home' }) };
  if (key === 'f') return { do: 'go', hash: pageHash({ view: 'actors' }) };
  const view = /^[1-9]$/.test(key) ? ACTOR_VIEWS[Number(key) - 1] : undefined;
  if (view === undefined || !('actor' in place)) return null;
  return { do: 'go', hash: pageHash({ ...place, view }) };
}
