/** Builds a database from a stream. */
import { renameSync, rmSync } from 'node:fs';
import type { AnyStamp } from '../store/base/stamp.ts';
import { openReplay } from '../store/durability/replay.ts';
import { createCatchUp } from './catch-up.ts';
import { encodePosition } from './position.ts';
import { createRecordReader } from './reader.ts';
import type { RecordKeys } from './record.ts';
import { fetchSnapshot, findSnapshot, type Snapshot } from './snapshot.ts';
import type { RecordStream } from './stream.ts';

type Options = {
  stream: RecordStream;
  keys: RecordKeys;
  /** The file to write. */
  path: string;
  /** Called when everything was read, before the file gets its name: moves away what had it. */
  makeRoom?(): void;
  stamp: AnyStamp;
};
export type Restored =
  /** `records`: those that came after the copy. */
  { ok: true; base: Snapshot; records: number; last: number } | { ok: false; message: string };

/** Reads the newest copy and everything after it. Rejects when the stream cannot be reached. */
export async function restore({ stream, keys, path, stamp, makeRoom }: Options): Promise<Restored> {
  const found = await findSnapshot(stream, keys);
  if (!found.ok) return found;
  const target = `${path}.restoring`;
  drop(target);
  const fetched = await fetchSnapshot({ stream, keys, found, target });
  if (!fetched.ok) return fetched;
  const opened = openReplay(`file:${target}`, stamp);
  if (!opened.ok) return { ok: false, message: opened.message };
  const replay = opened.value;
  const { at } = found.base;
  let restored: Restored;
  try {
    const place = { at, acknowledged: at, epoch: found.epoch, isOwner: false, onTheWay: [] };
    replay.apply({ writes: [], from: replay.place(), to: encodePosition(place) });
    const reader = createRecordReader(keys, at);
    const options = { stream, reader, replay, isOwner: () => false, onEpoch() {} };
    const bounds = await stream.bounds();
    const reached = await createCatchUp(options).until(bounds?.last ?? 0);
    if (!reached.ok) return reached;
    replay.noteCurrent();
    const { sequence } = reader.at();
    restored = { ok: true, base: found.base, records: sequence - at.sequence, last: sequence };
  } finally {
    replay.close();
  }
  makeRoom?.();
  // Only what is complete gets the name: a later start must not take half of it for the database.
  renameSync(target, path);
  drop(target);
  return restored;
}

function drop(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(path + suffix, { force: true });
}
