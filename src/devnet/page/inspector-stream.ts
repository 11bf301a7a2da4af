/**
 * Merges the streams of all nodes' inspectors into one, because a browser keeps few connections to one address. An
 * event's id holds the last step of each node (`alice=12,bob=7`), so that a reader that reconnects misses nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { eventText, greetingText, SIGN_OF_LIFE } from '../../http/answers/event-stream.ts';
import { serverEventsIn } from '../../inspector/event-stream.ts';

/** Asks a node's inspector for `path` (below `/inspector/`, with the query). Rejects when the node does not answer. */
export type AskNode = (path: string, request: NodeRequest) => Promise<Response>;
export type StreamedNode = { name: string; ask: AskNode };
type NodeRequest = { method: string; headers: Record<string, string>; signal: AbortSignal };
type Request = {
  nodes: readonly StreamedNode[];
  /** The query for every node's stream, with its question mark; empty when there is none. */
  search: string;
  /** The last step of each node that the reader has seen; streams of nodes without one begin with new steps. */
  after: ReadonlyMap<string, number>;
  signal: AbortSignal;
};

const RETRY_MS = 1_000;
const ID = /^[\w-]+=\d{1,16}(?:,[\w-]+=\d{1,16})*$/;

/** The positions in an id of this stream; empty for any other text. */
export function positionsIn(id: string): Map<string, number> {
  if (!ID.test(id)) return new Map();
  return new Map(
    id.split(',').map((part) => {
      const [name = '', seq = ''] = part.split('=');
      return [name, Number(seq)];
    }),
  );
}

/** Without an id: a reader that comes back is told anew. */
const presenceText = (node: string, isThere: boolean) =>
  `event: presence\ndata: ${JSON.stringify({ node, isThere })}\n\n`;

/**
 * Events `step` with the data `{"node": name, "step": [records]}`, and `presence` with `{"node": name, "isThere": false}` as soon
 * as a node's stream ends or begins again. A node that is gone is asked again every second. A
 * reader that does not read blocks the nodes' streams, which then skip steps for it.
 */
export function mergedStream({
  nodes,
  search,
  after,
  signal,
}: Request): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const positions = new Map(after);
  const left = new AbortController();
  const over = AbortSignal.any([signal, left.signal]);

  /** Nodes of whom the reader knows that they are there, or that they are not. */
  const told = new Map<string, boolean>();

  async function tell(name: string, isThere: boolean): Promise<void> {
    if (told.get(name) === isThere) return;
    told.set(name, isThere);
    await writer.write(encoder.encode(presenceText(name, isThere)));
  }

  async function follow({ name, ask }: StreamedNode): Promise<void> {
    const last = positions.get(name);
    const headers: Record<string, string> =
      last === undefined ? {} : { 'last-event-id': String(last) };
    const { body, ok } = await ask(`events${search}`, { method: 'GET', headers, signal: over });
    if (!ok || body === null) return;
    await tell(name, true);
    for await (const { id, data } of serverEventsIn(body)) {
      if (id === undefined || data === '') {
        await writer.write(encoder.encode(SIGN_OF_LIFE));
        continue;
      }
      positions.set(name, Number(id));
      const all = [...positions].map(([node, seq]) => `${node}=${seq}`).join(',');
      const step = `{"node":${JSON.stringify(name)},"step":${data}}`;
      await writer.write(encoder.encode(eventText(all, 'step', step)));
    }
  }

  async function keep(node: StreamedNode): Promise<void> {
    while (!over.aborted) {
      await follow(node).catch(() => {});
      if (!over.aborted) await tell(node.name, false).catch(() => {});
      await delay(RETRY_MS, null, { signal: over }).catch(() => {});
    }
  }
  writer.closed.catch(() => left.abort());
  void writer.write(encoder.encode(greetingText(RETRY_MS))).catch(() => {});
  void Promise.all(nodes.map(keep)).then(() => writer.close().catch(() => {}));
  return readable;
}
