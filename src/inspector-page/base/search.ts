/** Finds an actor by its id, a partner, a payment's identifier or a secrethash. */
import type { ListedActor } from '../../inspector/wire.ts';
import { rowName } from './names.ts';

/** The most actors that are listed; a longer search text finds fewer. */
export const MOST_FOUND = 12;
const KEPT_MS = 5_000;

/** The query of the actors that `text` may mean; null when all actors have to be searched. */
export function queryOf(text: string): Record<string, string> | null {
  if (/^\d+$/.test(text) || /^0x[0-9a-f]{64}$/i.test(text)) return { payment: text };
  return /^0x[0-9a-f]{40}$/i.test(text) ? { partner: text } : null;
}

/** The rows that have `text` in the actor's id, or in what people see: names, token, amount, identifier. */
export function rowsWith(rows: readonly ListedActor[], text: string): ListedActor[] {
  const wanted = text.toLowerCase();
  return rows.filter((row) =>
    [row.actor, row.partner, row.target, row.token, row.paymentId, row.amount, nameOf(row)].some(
      (part) => `${part ?? ''}`.toLowerCase().includes(wanted),
    ),
  );
}

function nameOf(row: ListedActor): string {
  const { kind, name, detail } = rowName(row);
  return `${kind} ${name} ${detail}`;
}

export type Search = { find(text: string): Promise<ListedActor[]> };
/** Reads the rows for a query; without a query, all rows. */
export type AskRows = (query?: Record<string, string>) => Promise<readonly ListedActor[]>;

/** Keeps the list of actors for some seconds, so that not every typed letter reads it again. */
export function createSearch(ask: AskRows): Search {
  let known: { rows: Promise<readonly ListedActor[]>; until: number } | null = null;

  function allRows(): Promise<readonly ListedActor[]> {
    const now = performance.now();
    if (known === null || known.until < now) {
      known = { rows: ask(), until: now + KEPT_MS };
    }
    return known.rows;
  }

  return {
    async find(given) {
      const text = given.trim();
      if (text === '') return [];
      const query = queryOf(text);
      const asked = query === null ? [] : await ask(query);
      const seen = rowsWith(await allRows(), text);
      const found = new Map([...asked, ...seen].map((row) => [row.actor, row]));
      return [...found.values()].slice(0, MOST_FOUND);
    },
  };
}
