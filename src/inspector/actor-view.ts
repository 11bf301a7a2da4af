/**
 * `GET /inspector/actors/<id>`: one actor as it is now, or as it was when it ended. Secrets are replaced.
 */
import type { Inspection } from '../node/inspection.ts';
import { KINDS, type Kind, kindOf, type StoredState, stateText } from '../node/kinds.ts';
import type { SeenActor } from './channel-deadlines.ts';
import { isChannel } from './contexts.ts';
import { deadlinesOf } from './deadlines.ts';
import { machineDefinition } from './definitions.ts';
import { edgesOf } from './edges.ts';
import { endedRow, fleetRow } from './fleet.ts';
import { moneyOf } from './money.ts';
import { createRedactor } from './redact.ts';
import { createReplayer } from './replay.ts';
import { answered, type Route, refused } from './route.ts';
import type { ActorView } from './wire.ts';

export function actorRoute(inspection: Inspection): Route {
  return ({ path }) => {
    const [root, id = ''] = path;
    if (path.length !== 2 || root !== 'actors') return null;
    if (!hasKind(id)) return refused(404, UNKNOWN);
    const state = inspection.actors.stateOf(id);
    if (state !== null) return answered(liveView(inspection, id, state));
    const ended = endedView(inspection, id);
    return ended === null ? refused(404, UNKNOWN) : answered(ended);
  };
}

const UNKNOWN =
  'There is no such actor; or it has ended, and the journal does not go back to that.';

/** Whether there is a machine for such an id at all. */
function hasKind(id: string): boolean {
  const [word = ''] = id.split(':', 1);
  return Object.hasOwn(KINDS, word);
}

function liveView(inspection: Inspection, id: string, state: StoredState): ActorView {
  const { context } = state;
  const kind = kindOf(id);
  const row = fleetRow(id, state);
  const seen: SeenActor = (other) => {
    const found = inspection.actors.stateOf(other);
    return found === null ? null : { state: stateText(found.value), context: found.context };
  };
  return {
    ...placeOf(inspection, kind),
    row,
    context: createRedactor().redact(context),
    next: nextEvents(kind, state),
    deadlines: deadlinesOf({ kind, state: row.state, context }, seen),
    money: isChannel(context) ? moneyOf(context, row.state) : null,
  };
}

/** As the journal's last steps lead to it; null when they do not go back to a birth or a keyframe. */
function endedView(inspection: Inspection, id: string): ActorView | null {
  const { journal } = inspection;
  const { newest } = journal.bounds();
  const [last] = journal.ofActor(id, newest + 1, 1);
  if (last?.kind !== 'stop') return null;
  const before = createReplayer(journal, { limit: 1 }).stateBefore(id, last.seq);
  if (before === null) return null;
  const { context } = before;
  return {
    ...placeOf(inspection, kindOf(id)),
    row: endedRow(id, last.state, context),
    context,
    next: [],
    deadlines: [],
    money: isChannel(context) ? moneyOf(context, last.state) : null,
  };
}

function placeOf({ nowBlock, journal }: Inspection, kind: Kind) {
  const { version } = machineDefinition(kind);
  return { block: nowBlock(), seq: journal.bounds().newest, version };
}

/** What some active state, or one around it, takes; whether its guard lets it pass is seen when it comes. */
export function nextEvents(kind: Kind, { value, context }: StoredState): string[] {
  const { _nodes: nodes } = KINDS[kind].machine.resolveState({ value, context });
  const events = nodes.flatMap((node) => edgesOf(node).map(({ eventType }) => eventType));
  return [...new Set(events)].filter((event) => event !== '').sort();
}
