/** A payment as a sequence diagram with one lifeline for each node of the devnet that had a part in it. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { units } from '../../page-parts/labels.ts';
import { whenDone } from '../../page-parts/when-done.ts';
import { pageHash } from '../base/router.ts';
import { sequenceOf } from '../views/sequence/arrows.ts';
import { SequenceDiagram, SequenceTable } from '../views/sequence/diagram.tsx';
import type { MarkPlace, TraceSource } from '../views/sequence/marks.ts';
import { traceAcross } from './payment-trace.ts';
import type { NetworkNode, NodePayment } from './watched.ts';

const MOST_ARROWS = 300;

export function PaymentTrace({
  payment,
  nodes,
}: {
  payment: NodePayment;
  nodes: readonly NetworkNode[];
}) {
  const { node, row } = payment;
  const sources = useMemo(() => signal<readonly TraceSource[] | null>(null), [node, row.actor]);
  const problem = useMemo(() => signal<string | null>(null), [node, row.actor]);
  useEffect(
    () =>
      whenDone(
        traceAcross(nodes, node, row),
        (found) => {
          sources.value = found;
        },
        (why) => {
          problem.value = why;
        },
      ),
    [nodes, node, row.actor, row.state],
  );
  const known = sources.value;
  // The page is rendered again with each step of any node; the diagram only changes with the payment.
  const sequence = useMemo(
    () => known && sequenceOf(known, { expanded: new Set(), last: MOST_ARROWS }),
    [known, units.value],
  );
  if (problem.value !== null) return <p role="alert">{problem.value}</p>;
  if (sequence === null) return <p>Asking the nodes …</p>;
  const linkTo = ({ node: address, actor, seq }: MarkPlace) => {
    const base = nodes.find((candidate) => candidate.address === address)?.base;
    return base === undefined ? null : `${base}${pageHash({ view: 'history', actor, step: seq })}`;
  };
  return (
    <>
      <SequenceDiagram sequence={sequence} linkTo={linkTo} />
      <details>
        <summary>As a table</summary>
        <SequenceTable sequence={sequence} />
      </details>
    </>
  );
}
