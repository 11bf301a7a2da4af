import type { ViewProps } from './view.ts';

export function DeadlinesView({ feed }: ViewProps) {
  const view = feed.view.value;
  return (
    <section aria-label="Deadlines">
      {view === null ? 'Waiting for the node …' : view.row.state}
    </section>
  );
}
