/**
 * `GET /inspector/actors/<id>`: one actor as it is now, or as it was when it ended. Secrets are replaced.
 */

import type { Kind } from '../../machines/contexts.ts';
import { channelTags } from '../../machines/tags.ts';
import type { Inspection } from '../node/api/inspection.ts';
import { KINDS, kindOf, type StoredState } from '../node/runtime/actors/kinds.ts';
import { decode } from '../store/base/codec.ts';
import { endedRow, listedActor } from './actor-list.ts';
import { isAnswer } from './answers.ts';
import { moneyOf } from './base/money.ts';
import {
  answered,
  type InspectorAnswer,
  type InspectorRoute,
  NO_HISTORY,
  routeRefusal,
} from './base/route.ts';
import { machineDefinition } from './charts/definitions.ts';
import { edgesOf } from './charts/edges.ts';
import type { SeenActor } from './deadlines/channel-deadlines.ts';
import { deadlinesOf } from './deadlines/deadlines.ts';
import { isChannelContext, seenOf } from './replay/contexts.ts';
import { createRedactor } from './replay/redact.ts';
import type { StreamClient } from './stream/client.ts';
import type { ActorView } from './wire.ts';

type Ask = StreamClient['history'];

export function actorRoute(inspection: Inspection, history: Ask): InspectorRoute {
  return async ({ path }) => {
    const [root, id = ''] = path;
    if (path.length !== 2 || root !== 'actors') return null;
    if (!hasKind(id)) return routeRefusal(404, UNKNOWN);
    const state = inspection.actors.stateOf(id);
    if (state !== null) return answered(liveView(inspection, id, state));
    return endedAnswer(inspection, history, id);
  };
}

const UNKNOWN =
  'There is no such actor; or it has ended, and the journal does not go back to that.';

/** Whether the id is one of a known kind of machine. */
function hasKind(id: string): boolean {
  const [word = ''] = id.split(':', 1);
  return Object.hasOwn(KINDS, word);
}

function liveView(inspection: Inspection, id: string, state: StoredState): ActorView {
  const row = listedActor(id, state);
  const seen: SeenActor = (other) => {
    const found = inspection.actors.stateOf(other);
    return found === null ? null : seenOf(found);
  };
  return {
    ...placeOf(inspection, state.kind),
    row,
    context: createRedactor().redact(state.context),
    next: nextEvents(state),
    deadlines: deadlinesOf(seenOf(state), seen, (type) => inspection.whyWaits(id, type)),
    money: moneyIn(state),
  };
}

function moneyIn({ kind, value, context }: StoredState): ActorView['money'] {
  return kind === 'channel' ? moneyOf(context, channelTags(value).has('takesLocks')) : null;
}

/**
 * The actor as the journal's last steps lead to it, when they go back to a spawn or a keyframe. The stream's worker
 * reads them: to find that there never was such an actor, it reads through much of the journal.
 */
async function endedAnswer(
  inspection: Inspection,
  history: Ask,
  id: string,
): Promise<InspectorAnswer> {
  const body = await history({ actor: id, before: null, limit: 1 });
  if (body === null) return NO_HISTORY;
  const answer = decode(new TextDecoder().decode(body));
  const { base, steps } = isAnswer('history', answer) ? answer : { base: null, steps: [] };
  const end = steps.flat().find(({ kind }) => kind === 'stop');
  if (base === null || end?.kind !== 'stop') return routeRefusal(404, UNKNOWN);
  const { context } = base;
  const view: ActorView = {
    ...placeOf(inspection, kindOf(id)),
    row: endedRow(end, context),
    context,
    next: [],
    deadlines: [],
    money: isChannelContext(context) ? moneyOf(context, false) : null,
  };
  return answered(view);
}

function placeOf({ nowBlock, journal }: Inspection, kind: Kind) {
  const { version } = machineDefinition(kind);
  return { block: nowBlock(), seq: journal.bounds().newest, version };
}

/**
 * The events that an active state, or a state around one, handles. A guard may still refuse the event when it
 * arrives.
 */
function nextEvents({ kind, value, context }: StoredState): string[] {
  const { _nodes: nodes } = KINDS[kind].machine.resolveState({ value, context });
  const events = nodes.flatMap((node) => edgesOf(node).map(({ eventType }) => eventType));
  return [...new Set(events)].filter((event) => event !== '').sort();
}
