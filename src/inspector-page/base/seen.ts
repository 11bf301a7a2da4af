/** What changes the look of a part of the page from outside: its size, and the colours of the page. */
import { useLayoutEffect } from 'preact/hooks';

/** Measures the element before it is painted first, and again whenever it has another size. */
export function useMeasured<Part extends Element>(
  part: { current: Part | null },
  measure: (part: Part) => void,
): void {
  useLayoutEffect(() => {
    const { current } = part;
    if (current === null) return;
    const watcher = new ResizeObserver(() => measure(current));
    measure(current);
    watcher.observe(current);
    return () => watcher.disconnect();
  }, [part]);
}

/** Calls `repaint` when the colours change, until the returned function is called: a canvas cannot use CSS variables. */
export function onNewColours(repaint: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const themes = new MutationObserver(repaint);
  scheme.addEventListener('change', repaint);
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    scheme.removeEventListener('change', repaint);
    themes.disconnect();
  };
}
