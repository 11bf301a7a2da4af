import type { ViewProps } from './view.ts';

export function MoneyView({ feed }: ViewProps) {
  const view = feed.view.value;
  return (
    <section aria-label="Money">
      {view === null ? 'Waiting for the node …' : view.row.state}
    </section>
  );
}
