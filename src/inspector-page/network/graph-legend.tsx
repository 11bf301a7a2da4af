/** What lines and dots of the drawing mean. Each differs from the others in its pattern, too. */
const LINES = [
  ['a', 'what the first named can pay'],
  ['b', 'what the second can pay'],
  ['a-locked', 'locked in payments under way'],
  ['closed', 'closed: what each side owns'],
  ['disputed', 'the two sides disagree'],
  ['network-opening', 'being opened'],
] as const;

export function GraphLegend() {
  return (
    <ul class="network-legend" aria-label="What the lines mean">
      {LINES.map(([kind, words]) => (
        <li key={kind}>
          <svg width={36} height={12} aria-hidden="true" class={`network-wire ${kind}`}>
            <line
              class={kind === 'closed' || kind === 'disputed' ? 'b' : kind}
              x1={0}
              x2={36}
              y1={6}
              y2={6}
            />
          </svg>
          {words}
        </li>
      ))}
    </ul>
  );
}
