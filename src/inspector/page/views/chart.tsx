import type { ViewProps } from './view.ts';

export function ChartView({ feed }: ViewProps) {
  const view = feed.view.value;
  return (
    <section aria-label="Chart">
      {view === null ? 'Waiting for the node …' : view.row.state}
    </section>
  );
}
