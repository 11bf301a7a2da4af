/**
 * Converts the stream's records into the events that clients of `@statelyai/inspect` understand. Guards, effects
 * and patches are left out, as these events cannot express them. bigints become decimal text; secrets are replaced
 * already.
 */
import { KINDS, kindOf } from '../node/runtime/actors/kinds.ts';
import { machineDefinition } from './charts/definitions.ts';
import { litStates } from './charts/states.ts';
import { applyPatch } from './replay/patch.ts';
import type { ActorView, InspectionRecord, Patch, StateDefinition, StepRecords } from './wire.ts';

/** The version of the protocol of `@statelyai/inspect`. */
const VERSION = '0.7.2';
const ROOT = 'node';

type Snapshot = { status: 'active' | 'done'; value: unknown; context: unknown };
type Base = { sessionId: string; rootId: string; createdAt: string; id: string; _version: string };
export type StatelyEvent = Base &
  (
    | {
        type: '@xstate.actor';
        name: string;
        definition: string;
        parentId: string | undefined;
        snapshot: Snapshot;
      }
    | { type: '@xstate.event'; event: unknown; sourceId: string | undefined }
    | { type: '@xstate.snapshot'; event: unknown; snapshot: Snapshot }
  );

/** Follows the contexts of the actors that were presented or spawned; for all others only the state is known. */
export function createStately() {
  const known = new Map<string, Snapshot>();
  /** Actor -> the last step that its presentation already includes. */
  const presentedAt = new Map<string, number>();

  function spawned(base: Base, actor: string, snapshot: Snapshot): StatelyEvent {
    const { machine } = KINDS[kindOf(actor)];
    known.set(actor, snapshot);
    return {
      ...base,
      type: '@xstate.actor',
      name: actor,
      definition: asText(machine.config),
      parentId: actor === ROOT ? undefined : ROOT,
      snapshot,
    };
  }

  function changed(record: Extract<InspectionRecord, { kind: 'transition' }>): Snapshot {
    const before = known.get(record.actor);
    const context = before === undefined ? undefined : patched(before.context, record.patch);
    const snapshot = snapshotOf(record.actor, record.to, context);
    if (before !== undefined) known.set(record.actor, snapshot);
    return snapshot;
  }

  function eventsOf(record: InspectionRecord, event: unknown): StatelyEvent[] {
    const { actor, cause } = record;
    const base = baseOf(record);
    switch (record.kind) {
      case 'spawn':
        return [spawned(base, actor, snapshotOf(actor, record.state, record.context))];
      case 'event': {
        const sourceId = cause.from === 'actor' ? cause.actor : undefined;
        return [{ ...base, type: '@xstate.event', event: record.event, sourceId }];
      }
      case 'transition':
        return [{ ...base, type: '@xstate.snapshot', event, snapshot: changed(record) }];
      case 'stop': {
        const context = known.get(actor)?.context;
        known.delete(actor);
        presentedAt.delete(actor);
        const snapshot = { ...snapshotOf(actor, record.state, context), status: 'done' as const };
        return [{ ...base, type: '@xstate.snapshot', event: { type: 'stop' }, snapshot }];
      }
      case 'gap':
        // Later patches are for contexts that this converter has not seen.
        if (actor === '') known.clear();
        else known.delete(actor);
        return [];
      default:
        return [];
    }
  }

  return {
    /** The event for an actor that lives already. */
    present({ row, context, seq }: ActorView): StatelyEvent {
      const at = { actor: row.actor, seq, part: 0, time: 0 };
      presentedAt.set(row.actor, seq);
      return spawned(baseOf(at), row.actor, snapshotOf(row.actor, row.state, context));
    },
    /** The events of a step; none for a step that the presentation of its actor already includes. */
    step(records: StepRecords): StatelyEvent[] {
      const [first] = records;
      if (first === undefined || first.seq <= (presentedAt.get(first.actor) ?? 0)) return [];
      const told = records.find((record) => record.kind === 'event');
      const event = told?.event ?? { type: 'xstate.init' };
      return records.flatMap((record) => eventsOf(record, event));
    },
  };
}

/** Undefined when the patch does not fit the context. */
function patched(context: unknown, patch: Patch): unknown {
  try {
    return context === undefined ? undefined : applyPatch(context, patch);
  } catch {
    return undefined;
  }
}

/** The event as JSON, with bigints as decimal text, since JSON has none. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? inner.toString() : inner,
  );
}

function baseOf({
  actor,
  seq,
  part,
  time,
}: Pick<InspectionRecord, 'actor' | 'seq' | 'part' | 'time'>): Base {
  return {
    sessionId: actor,
    rootId: ROOT,
    createdAt: String(time),
    id: `${seq}.${part}`,
    _version: VERSION,
  };
}

/** With the state value that XState has for a dotted text; the text itself when the chart has no such state. */
function snapshotOf(actor: string, text: string, context: unknown): Snapshot {
  const { root } = machineDefinition(kindOf(actor));
  const lit = litStates(root, text);
  const value = lit === null || lit.size === 0 ? text : valueIn(root, lit);
  return { status: 'active', value, context };
}

function valueIn(state: StateDefinition, lit: ReadonlySet<string>): unknown {
  const active = state.states.filter(({ id }) => lit.has(id));
  const [only] = active;
  if (only === undefined) return {};
  if (state.type !== 'parallel' && only.states.length === 0) return only.name;
  return Object.fromEntries(active.map((child) => [child.name, regionValue(child, lit)]));
}

function regionValue(state: StateDefinition, lit: ReadonlySet<string>): unknown {
  return state.states.length === 0 ? {} : valueIn(state, lit);
}
