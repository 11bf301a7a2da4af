import type { ViewProps } from './view.ts';

export function SequenceView({ feed }: ViewProps) {
  const view = feed.view.value;
  return (
    <section aria-label="Sequence">
      {view === null ? 'Waiting for the node …' : view.row.state}
    </section>
  );
}
