/** A node's inspector without a node: the page, its answers and its stream, over actors that tests make. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { inspectorAsset, inspectorPage } from '../../src/http/inspector.ts';
import { machineDefinition, machineDefinitions } from '../../src/inspector/charts/definitions.ts';
import { sumsOf } from '../../src/inspector/overview.ts';
import { applyPatch } from '../../src/inspector/replay/patch.ts';
import type {
  ActorHistory,
  ActorList,
  ActorView,
  ChannelLine,
  Labels,
  ListedActor,
  Machines,
  NodeFacts,
  Overview,
  Proofs,
  StepRecords,
} from '../../src/inspector/wire.ts';
import { kindOf } from '../../src/node/runtime/actors/kinds.ts';
import { encode } from '../../src/store/base/codec.ts';
import { OWN, REVEAL_TIMEOUT, TOKEN } from './makers.ts';
import { rowsAfter } from './synthetic-actors.ts';
import type { SyntheticActor } from './synthetic-channel.ts';
import { createStepWriter, type StepWriter } from './synthetic-records.ts';

export type SyntheticInspector = {
  /** Of the page, with a slash at its end. */
  url: string;
  port: number;
  /** Numbers the steps of this node. */
  writer: StepWriter;
  /** Streams that are open now. */
  readonly streams: number;
  /** Sends the steps to all streams, and answers from now on as after these steps. */
  emit(steps: readonly StepRecords[]): void;
  setBlock(block: bigint): void;
  /** Ends the open streams; a page comes back with `Last-Event-ID`. */
  cut(): void;
  close(): Promise<void>;
};
export type SyntheticWorld = {
  rows?: readonly ListedActor[];
  /** Actors with history and details; `rows` need not name them. */
  actors?: readonly SyntheticActor[];
  writer?: StepWriter;
  block?: bigint;
  /** What tokens and addresses are called. */
  labels?: Labels;
  /** What a caller must show; empty: nothing. */
  token?: string;
  /** 0: any that is free. */
  port?: number;
};

type Stream = { write(steps: readonly StepRecords[]): void; end(): void };

export async function startSyntheticInspector(
  given: SyntheticWorld = {},
): Promise<SyntheticInspector> {
  const world = createWorld(given);
  const streams = new Set<Stream>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://node');
    const path = url.pathname.replace(/^\/inspector\//, '');
    const isPage = path === '' || extname(path) !== '';
    if (isPage) return sendFile(response, path);
    const { authorization = '' } = request.headers;
    if (given.token && authorization !== `Bearer ${given.token}`) return send(response, 401, {});
    if (path === 'events') return follow(request, response, url.searchParams);
    const value = world.answer(path.split('/').map(decodeURIComponent), url.searchParams);
    return value === null ? send(response, 404, {}) : send(response, 200, value);
  }

  function follow(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const stream: Stream = {
      write(steps) {
        const text = steps.map((step) => eventText(step, query)).join('');
        if (text !== '') response.write(text);
      },
      end: () => response.end(),
    };
    response.write(':\n\n');
    const after = request.headers['last-event-id'];
    if (after !== undefined) stream.write(world.stepsAfter(Number(after)));
    streams.add(stream);
    response.on('close', () => streams.delete(stream));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(new Error(String(error))));
  });
  await new Promise<void>((resolve) => server.listen(given.port ?? 0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/inspector/`,
    port: address.port,
    writer: world.writer,
    get streams() {
      return streams.size;
    },
    emit(steps) {
      world.take(steps);
      for (const stream of streams) stream.write(steps);
    },
    setBlock: world.setBlock,
    cut() {
      for (const stream of streams) stream.end();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createWorld({
  rows = [],
  actors = [],
  writer = createStepWriter(),
  block,
  labels = { tokens: [], names: [] },
}: SyntheticWorld) {
  let byId = new Map(rows.map((row) => [row.actor, row]));
  const known = new Map(actors.map((actor) => [actor.row().actor, actor]));
  const kept: StepRecords[] = [];
  let nowBlock = block ?? actors[0]?.steps.at(-1)?.[0]?.block ?? 1_000n;
  const machines: Machines = { machines: machineDefinitions() };

  function facts(): NodeFacts {
    const tokens = [TOKEN, ...new Set(rows.flatMap(({ token }) => token ?? []))];
    const constant = { chainId: 31_337n, version: '0.1.0', revealTimeout: REVEAL_TIMEOUT };
    return { address: OWN, ...constant, block: nowBlock, seq: writer.seq, tokens, troubles: [] };
  }

  function allRows(): ListedActor[] {
    const others = [...byId.values()].filter(({ actor }) => !known.has(actor));
    return [...[...known.values()].map((actor) => actor.row()), ...others];
  }

  /** Of the channels with all their data; payments are not listed. */
  function overview(): Overview {
    const lines = [...known.values()].flatMap((actor): ChannelLine[] => {
      const { actor: id, state, token, deadlineBlock } = actor.row();
      const { money } = actor.view(nowBlock);
      if (money === null || token === null) return [];
      const { own, partner } = money;
      const isOpen = state.startsWith('opened');
      return [{ actor: id, state, isOpen, token, own, partner, locks: 0, dueBlock: deadlineBlock }];
    });
    const { length: all } = lines;
    return {
      ...{ block: nowBlock, seq: writer.seq, blockSeconds: 12, tokens: sumsOf(lines), opening: [] },
      channels: { all, found: all, shown: lines },
      payments: { live: 0, shown: [] },
    };
  }

  function viewOf(id: string): ActorView | null {
    const now = { block: nowBlock, seq: writer.seq };
    const actor = known.get(id);
    if (actor !== undefined) return { ...now, ...actor.view(nowBlock) };
    const row = byId.get(id);
    if (row === undefined) return null;
    const nothing = { next: [], deadlines: [], money: null };
    return {
      ...now,
      row,
      version: machineDefinition(kindOf(row.machine)).version,
      context: { id },
      ...nothing,
    };
  }

  function historyOf(id: string, query: URLSearchParams): ActorHistory | null {
    const actor = known.get(id);
    const all = actor?.steps ?? kept.filter((step) => step[0]?.actor === id);
    if (actor === undefined && !byId.has(id)) return null;
    const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY);
    const limit = Number(query.get('limit') ?? 100);
    const older = all.filter((step) => (step[0]?.seq ?? 0) < before);
    const hasMore = older.length > limit;
    const base = hasMore ? baseAfter(older.slice(0, -limit)) : (actor?.base ?? null);
    return { base, steps: older.slice(-limit), hasMore };
  }

  function proofsOf(id: string, query: URLSearchParams): Proofs {
    const before = BigInt(query.get('before') ?? 2n ** 64n);
    const limit = Number(query.get('limit') ?? 20);
    const older = (known.get(id)?.proofs ?? []).filter(
      ({ side, nonce }) => side === (query.get('side') ?? 'own') && nonce < before,
    );
    return { proofs: older.slice(0, limit), hasMore: older.length > limit };
  }

  return {
    writer,
    take(steps: readonly StepRecords[]) {
      kept.push(...steps);
      byId = rowsAfter(byId, steps);
      for (const step of steps) {
        const { block: at = 0n } = step[0] ?? {};
        if (at > nowBlock) nowBlock = at;
      }
    },
    setBlock(at: bigint) {
      nowBlock = at;
    },
    stepsAfter: (seq: number) => kept.filter((step) => (step[0]?.seq ?? 0) > seq),
    /** Null: there is no such thing. */
    answer([room, id = '', part]: string[], query: URLSearchParams): unknown {
      if (room === 'node') return facts();
      if (room === 'labels') return labels;
      if (room === 'overview') return overview();
      if (room === 'machines') return machines;
      if (room !== 'actors') return null;
      if (id === '')
        return {
          hasMore: false,
          block: nowBlock,
          seq: writer.seq,
          actors: allRows(),
        } satisfies ActorList;
      if (part === 'history') return historyOf(id, query);
      if (part === 'proofs') return proofsOf(id, query);
      return viewOf(id);
    },
  };
}

/** What the actor is after these steps; null when they do not begin with its spawn. */
function baseAfter(steps: readonly StepRecords[]): ActorHistory['base'] {
  return steps.flat().reduce<ActorHistory['base']>((base, record) => {
    const { seq } = record;
    if (record.kind === 'spawn') return { seq, state: record.state, context: record.context };
    if (record.kind !== 'transition' || base === null) return base;
    return { seq, state: record.to, context: applyPatch(base.context, record.patch) };
  }, null);
}

/** The step as the stream's query asks for it; empty when it asks for nothing of the step. */
function eventText(step: StepRecords, query: URLSearchParams): string {
  const actor = query.get('actor');
  const kinds = query.get('kinds')?.split(',');
  const wanted = step.filter(
    (record) =>
      (actor === null || record.actor === actor) && (kinds?.includes(record.kind) ?? true),
  );
  const seq = wanted[0]?.seq;
  return seq === undefined ? '' : `id: ${seq}\nevent: step\ndata: ${encode(wanted)}\n\n`;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(encode(value));
}

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  const name = path.replace(/^assets\//, '');
  const file = await (path === '' ? inspectorPage() : inspectorAsset(name));
  response.writeHead(file.status, Object.fromEntries(file.headers));
  response.end(new Uint8Array(await file.arrayBuffer()));
}
