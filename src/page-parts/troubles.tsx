/** What is bad at the node, a strip for each below the bar; nothing while all is good. */
import type { OpenTrouble } from '../node/health/check.ts';
import { clockText } from './clock.ts';

const MARKS = { high: '⚠', normal: '•' } as const;

/**
 * What is new is read out, not what a body says anew every two seconds. Whether a strip is open is known to its element,
 * which stays the same as long as its check is bad.
 */
export function Troubles({ troubles }: { troubles: readonly OpenTrouble[] }) {
  return (
    <div class="troubles" role="status" aria-atomic="false">
      {troubles.map(({ check, summary, body, urgency, since }) => (
        <details key={check} data-urgency={urgency}>
          <summary>
            <span class="mark" aria-hidden="true">
              {MARKS[urgency]}
            </span>
            <span class="what">
              {urgency === 'high' && <span class="unseen">Urgent: </span>}
              {summary}
            </span>
            <span class="more">What to do</span>
          </summary>
          <p aria-live="off">
            {body}
            <small>Since {clockText(since)}.</small>
          </p>
        </details>
      ))}
    </div>
  );
}
