/** What the colours of a drawing mean. */
type LegendProps = {
  /** The class of each sample, what is meant, and what is written in the sample. */
  entries: readonly (readonly [sample: string, words: string, text?: string])[];
  /** Absent: it is hidden from screen readers, as the drawing is. */
  label?: string;
};

export function DrawingLegend({ entries, label }: LegendProps) {
  return (
    <ul class="pane-legend" aria-label={label} aria-hidden={label === undefined || undefined}>
      {entries.map(([sample, words, text]) => (
        <li key={words}>
          <span class={sample}>{text}</span> {words}
        </li>
      ))}
    </ul>
  );
}
