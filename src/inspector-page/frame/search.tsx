/** The search box: results are links in a list below it, to be chosen with the arrow keys. */
import type { RefObject } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { InspectorSource } from '../../inspector/source.ts';
import type { ListedActor } from '../../inspector/wire.ts';
import { rowName } from '../base/names.ts';
import { pageHash } from '../base/router.ts';
import { createSearch, MOST_FOUND } from '../base/search.ts';

type SearchProps = { source: InspectorSource; field: RefObject<HTMLInputElement | null> };
/** `problem`: why the search failed, shown instead of `rows`. */
type Found = { text: string; rows: readonly ListedActor[]; problem: string | null };

const LABEL = 'Search by actor, partner, token, amount, payment identifier or secrethash';

export function SearchBox({ source, field }: SearchProps) {
  const search = useMemo(() => {
    return createSearch(async (query) => {
      const actors = await source.read('actors', 'actors', { ...query, ended: '1' });
      return actors.actors;
    });
  }, [source]);
  const [found, setFound] = useState<Found | null>(null);
  const newest = useRef('');
  const list = useRef<HTMLUListElement>(null);

  async function look(text: string): Promise<void> {
    newest.current = text;
    if (text.trim() === '') return setFound(null);
    const answer = await search.find(text).then(
      (rows) => ({ text, rows, problem: null }),
      (error: unknown) => ({ text, rows: [], problem: String(error) }),
    );
    // An older answer may arrive after a newer one.
    if (newest.current === text) setFound(answer);
  }

  function close(): void {
    newest.current = '';
    setFound(null);
    if (field.current !== null) field.current.value = '';
  }

  function onKeyDown(event: KeyboardEvent): void {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link.contains(document.activeElement));
    if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? field.current)?.focus();
    else if (event.key === 'Enter' && at === -1) links[0]?.click();
    else if (event.key === 'Escape') {
      field.current?.focus();
      close();
    } else return;
    event.preventDefault();
  }

  const rows = found?.rows ?? [];
  return (
    <search
      class="search"
      onKeyDown={onKeyDown}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isWithin = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isWithin) setFound(null);
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label={LABEL}
        autocomplete="off"
        spellcheck={false}
        placeholder="bob, TTA, payment, secrethash"
        onInput={({ currentTarget }) => void look(currentTarget.value)}
      />
      <ul ref={list} aria-label="Found actors" hidden={rows.length === 0}>
        {rows.map((row) => (
          <li key={row.actor}>
            <a href={pageHash({ view: 'chart', actor: row.actor })} onClick={close}>
              <Hit row={row} />
            </a>
          </li>
        ))}
      </ul>
      <p role="status" class={found !== null && rows.length === 0 ? 'nothing' : 'unseen'}>
        {found === null ? '' : (found.problem ?? summaryOf(found))}
      </p>
    </search>
  );
}

function summaryOf({ text, rows }: Found): string {
  if (rows.length === 0) return `No actor has “${text}”.`;
  return `${rows.length === MOST_FOUND ? 'The first ' : ''}${rows.length} found`;
}

function Hit({ row }: { row: ListedActor }) {
  const { kind, name, detail } = rowName(row);
  return (
    <>
      <strong>
        {kind} {name}
      </strong>
      <span>
        {detail !== '' && `${detail} · `}
        {row.isEnded ? `ended: ${row.state}` : row.state}
      </span>
    </>
  );
}
