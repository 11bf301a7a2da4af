/** The page's frame: the node's name, the state of the connection, and the open view. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { InspectorSource } from '../inspector/source.ts';
import { keep, kept } from '../page-parts/kept.ts';
import { followLabels } from '../page-parts/labels.ts';
import { SkipButton, usePlace } from '../page-parts/place.tsx';
import { TokenPrompt } from '../page-parts/token.tsx';
import { type PagePlace, pagePlaceOf } from './base/router.ts';
import { Actor } from './frame/actor.tsx';
import { InspectorHeader } from './frame/header.tsx';
import { Help } from './frame/help.tsx';
import { SearchBox } from './frame/search.tsx';
import { commandOf } from './frame/shortcuts.ts';
import { type NodeWatch, watchNode } from './live/node-watch.ts';
import { ActorsView } from './views/actors/actors.tsx';
import { HomeView } from './views/home/home.tsx';

export function InspectorApp({ source }: { source: InspectorSource }) {
  const place = usePlace(pagePlaceOf);
  const watch = useMemo(() => watchNode(source), [source]);
  useEffect(() => watch.end, [watch]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const [areKeysOn, setKeysOn] = useState(() => kept('local', 'keys') !== 'off');
  useKeys((key) => {
    if (!areKeysOn) return false;
    const command = commandOf(key, place);
    if (command?.do === 'help') setHelpOpen(true);
    if (command?.do === 'search') field.current?.focus();
    if (command?.do === 'go') location.hash = command.hash;
    return command !== null;
  });
  return (
    <>
      <SkipButton />
      <InspectorHeader
        facts={watch.facts.value}
        connection={watch.connection.value}
        onHelp={() => setHelpOpen(true)}
      >
        <SearchBox source={source} field={field} />
      </InspectorHeader>
      <main id="content" tabIndex={-1}>
        <Content place={place} source={source} watch={watch} />
      </main>
      <Help
        isOpen={isHelpOpen}
        areKeysOn={areKeysOn}
        onKeys={(areOn) => {
          keep('local', 'keys', areOn ? 'on' : 'off');
          setKeysOn(areOn);
        }}
        onClose={() => setHelpOpen(false)}
      />
    </>
  );
}

type ContentProps = { place: PagePlace; source: InspectorSource; watch: NodeWatch };

function Content({ place, source, watch }: ContentProps) {
  // Counts the tokens that were entered: with another token everything below is read again.
  const [tokens, setTokens] = useState(0);
  useEffect(() => followLabels(source), [source, tokens]);
  const facts = watch.facts.value;
  if (watch.connection.value === 'token') {
    return (
      <TokenPrompt
        verb="Open the inspector"
        isRefused={tokens > 0}
        onToken={(token) => {
          source.setToken(token);
          setTokens(tokens + 1);
          watch.ask();
        }}
      />
    );
  }
  if (place.view === 'home') return <HomeView key={tokens} source={source} facts={facts} />;
  if (place.view === 'actors') return <ActorsView key={tokens} source={source} facts={facts} />;
  return <Actor key={`${tokens}:${place.actor}`} place={place} source={source} facts={facts} />;
}

/** `take` returns whether the key is a command. Keys typed into a field are left to the field. */
function useKeys(take: (key: string) => boolean): void {
  const newest = useRef(take);
  newest.current = take;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isOurs = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      if (isOurs && !event.defaultPrevented && newest.current(event.key)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
}
