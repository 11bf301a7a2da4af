/** Which node a page shows, and its newest block, in the bar above. */
import type { ComponentChildren } from 'preact';
import { Copy } from './copy.tsx';
import { shortId } from './digits.ts';
import { isNamed, personName } from './labels.ts';

/** `facts`: null: not known yet. `children`: what stands between the two. */
type FactsProps = {
  facts: { address: string; block: string | bigint } | null;
  children?: ComponentChildren;
};

export function BarFacts({ facts, children }: FactsProps) {
  return (
    <dl class="facts">
      <div>
        <dt>Node</dt>
        <dd>
          {facts === null ? (
            '…'
          ) : (
            <>
              {isNamed(facts.address) && <strong>{personName(facts.address)} </strong>}
              <Copy label="address" text={facts.address} shown={shortId(facts.address)} />
            </>
          )}
        </dd>
      </div>
      {children}
      <div>
        <dt>Block</dt>
        <dd class="block">{facts === null ? '…' : `#${facts.block}`}</dd>
      </div>
    </dl>
  );
}
