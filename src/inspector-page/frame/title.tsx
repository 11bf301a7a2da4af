/** The heading of a page. It takes the focus when the reader has opened another place. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type PagePlace, pageHash } from '../base/router.ts';

/** The place whose heading took the focus last. On the first place the focus stays where the browser put it. */
let last: string | null = null;

export function Title({ place, children }: { place: PagePlace; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { step: _, ...page } = { step: undefined, ...place };
  const address = pageHash(page);
  useEffect(() => {
    if (last !== null && last !== address) heading.current?.focus();
    last = address;
    document.title = `${heading.current?.textContent ?? ''} · sluice inspector`;
  }, [address]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
