/**
 * Which actors the reader looks at, and how; kept in the query of the page's address, so that a link shows the
 * same.
 */
import { type ActorsChoice, type ActorsColumn, COLUMNS } from './groups.ts';

/** `column`, `isDown`: how the table is sorted. */
export type ActorsLook = ActorsChoice & {
  form: 'map' | 'table';
  column: ActorsColumn;
  isDown: boolean;
};

export const USUAL_LOOK: ActorsLook = {
  machine: '',
  state: '',
  token: '',
  partner: '',
  payment: '',
  ended: 'live',
  order: 'spawned',
  form: 'map',
  column: 'deadline',
  isDown: false,
};

const TEXTS = ['machine', 'state', 'token', 'partner', 'payment'] as const;
const ENDED: readonly ActorsLook['ended'][] = ['live', 'ended', 'all'];

/** The query with its question mark; empty for the usual look. */
export function queryOfLook(look: ActorsLook): string {
  const query = new URLSearchParams();
  for (const name of [...TEXTS, 'ended', 'order', 'form'] as const)
    if (look[name] !== USUAL_LOOK[name]) query.set(name, look[name]);
  if (look.column !== USUAL_LOOK.column || look.isDown)
    query.set('sort', `${look.isDown ? '-' : ''}${look.column}`);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The look of a query; a part of it that is missing or unknown is as usual. */
export function lookOfQuery(text: string): ActorsLook {
  const query = new URLSearchParams(text);
  const choice = { ...USUAL_LOOK };
  for (const name of TEXTS) choice[name] = query.get(name) ?? '';
  const sort = query.get('sort') ?? '';
  return {
    ...choice,
    ended: ENDED.find((one) => one === query.get('ended')) ?? USUAL_LOOK.ended,
    order: query.get('order') === 'deadline' ? 'deadline' : 'spawned',
    form: query.get('form') === 'table' ? 'table' : 'map',
    column: COLUMNS.find((one) => one === sort.replace(/^-/, '')) ?? USUAL_LOOK.column,
    isDown: sort.startsWith('-'),
  };
}
