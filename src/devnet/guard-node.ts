/** The last duty of a node that failed: its database is opened again and the chain watched. */
import { startGuard } from '../node/guard.ts';
import type { FatalKind, NodeParts, NodeSettings } from '../node/parts.ts';
import type { Stamp } from '../store/stamp.ts';
import type { DiskRoom } from './disk-room.ts';
import { rewind } from './fork.ts';
import { openDatabase } from './open-database.ts';

type Request = {
  settings: NodeSettings;
  parts: Omit<NodeParts, 'transport' | 'store' | 'onFatal'>;
  database: string;
  stamp: Stamp;
  room: DiskRoom | null;
};

/** Resolves when it is safe to end the process, or when this cannot go on either. */
export async function guardNode(request: Request): Promise<void> {
  const { log } = request.parts;
  const advice =
    'no API any more: watching the chain until nothing is at stake. Interrupt twice to end at once';
  log.warn({}, advice);
  // Where the chain was replaced meanwhile, it begins again from there.
  while ((await guardOnce(request)) === 'replaced');
}

async function guardOnce(request: Request): Promise<FatalKind | null> {
  const { settings, parts, database, stamp, room } = request;
  const reserve = room === null ? {} : { reserve: room.reserve };
  const opened = openDatabase({ url: database, stamp, ...reserve }, parts.log);
  if (!opened.ok) {
    parts.log.error({}, opened.message);
    return null;
  }
  const { store } = opened;
  await rewind({ ...parts, settings, store });
  const failed = createSignal();
  const guarding = startGuard(settings, {
    ...parts,
    ...{ store, safeMode: { reason: 'the node failed' } },
    onFatal: (_reason, _error, kind) => failed.raise(kind),
  });
  const end = await Promise.race([guarding.done.then(() => null), failed.raised]);
  await guarding.stop();
  return end;
}

function createSignal() {
  let raise: (kind: FatalKind) => void = () => {};
  const raised = new Promise<FatalKind>((resolve) => {
    raise = resolve;
  });
  return { raise: (kind: FatalKind) => raise(kind), raised };
}
