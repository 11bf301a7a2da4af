/** One payment across the nodes of a devnet: what each of them did for it. */
import type { ListedActor } from '../../inspector/wire.ts';
import type { TraceSource } from '../views/sequence/marks.ts';
import { gatherTrace, stepsInOrder } from '../views/sequence/trace.ts';
import type { NetworkNode } from './watched.ts';

const HASH = /^\w+:(0x[0-9a-f]{64})$/;

/**
 * The steps of all nodes about the payment that `initiator` (an actor of `payer`) is an attempt at: the payer's
 * first, then in the order of the nodes. Throws when the payer's inspector fails.
 */
export async function traceAcross(
  nodes: readonly NetworkNode[],
  payer: string,
  { actor: initiator, token }: Pick<ListedActor, 'actor' | 'token'>,
): Promise<TraceSource[]> {
  const first = nodes.find(({ name }) => name === payer);
  if (first === undefined) return [];
  const { steps } = await gatherTrace(first.source, initiator);
  const own = { address: first.address, name: first.name, token, steps };
  const attempts = new Set(steps.flat().flatMap(({ actor }) => HASH.exec(actor)?.[1] ?? []));
  const others = nodes.filter((node) => node !== first);
  const parts = await Promise.all(
    // A node that does not answer has no steps: what the others know is shown without it.
    others.map((node) => partOf(node, attempts, token).catch(() => silent(node, token))),
  );
  return [own, ...parts.filter((part) => part.steps.length > 0)];
}

const silent = ({ address, name }: NetworkNode, token: string | null): TraceSource => {
  return { address, name, token, steps: [] };
};

async function partOf(
  { address, name, source }: NetworkNode,
  attempts: ReadonlySet<string>,
  token: string | null,
): Promise<TraceSource> {
  const found = await Promise.all(
    [...attempts].map((payment) => source.read('actors', 'actors', { payment, ended: '1' })),
  );
  const actors = found.flatMap(({ actors }) => actors.map(({ actor }) => actor));
  const traces = await Promise.all(
    actors.filter((id) => HASH.test(id)).map((id) => gatherTrace(source, id)),
  );
  const steps = stepsInOrder(traces.flatMap((trace) => trace.steps));
  return { address, name, token, steps };
}
