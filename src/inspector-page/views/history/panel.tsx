import type { ComponentChildren } from 'preact';

/** A titled part of a view. */
export function ViewPanel({
  title,
  kind,
  tools,
  children,
}: {
  title: string;
  kind?: string;
  tools?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class={kind === undefined ? 'panel' : `panel panel-${kind}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {tools}
      </header>
      {children}
    </section>
  );
}
