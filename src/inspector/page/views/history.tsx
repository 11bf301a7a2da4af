import type { ViewProps } from './view.ts';

export function HistoryView({ feed }: ViewProps) {
  const view = feed.view.value;
  return (
    <section aria-label="History">
      {view === null ? 'Waiting for the node …' : view.row.state}
    </section>
  );
}
