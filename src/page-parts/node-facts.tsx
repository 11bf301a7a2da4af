/** Which node a page shows, and its newest block, in the bar above. */
import type { ComponentChildren } from 'preact';
import { shortId } from '../inspector/texts/short-id.ts';
import { Copy } from './copy.tsx';
import { figureOf } from './figure.ts';
import { isNamed, personName } from './labels.ts';

type FactProps = { name: string; kind?: string; children: ComponentChildren };

/** A fact in a list of them: its name and what it is. `kind`: the class of that. */
export function Fact({ name, kind, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={kind}>{children}</dd>
    </div>
  );
}

/** `facts`: null: not known yet. `children`: what stands between the two. */
type FactsProps = {
  facts: { address: string; block: string | bigint } | null;
  children?: ComponentChildren;
};

export function BarFacts({ facts, children }: FactsProps) {
  return (
    <dl class="facts">
      <Fact name="Node">
        {facts === null ? (
          '…'
        ) : (
          <>
            {isNamed(facts.address) && <strong>{personName(facts.address)} </strong>}
            <Copy label="address" text={facts.address} shown={shortId(facts.address)} />
          </>
        )}
      </Fact>
      {children}
      <Fact name="Block" kind="block">
        {facts === null ? (
          '…'
        ) : (
          <span {...figureOf({ of: 'node/block', value: facts.block, unit: 'block' })}>
            #{`${facts.block}`}
          </span>
        )}
      </Fact>
    </dl>
  );
}
