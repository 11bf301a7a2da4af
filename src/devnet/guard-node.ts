/** The last duty of a node that failed: its database is opened again and the chain watched. */
import { startGuard } from '../node/guard.ts';
import type { NodeParts, NodeSettings } from '../node/parts.ts';
import { openStore } from '../store/open.ts';
import type { Stamp } from '../store/stamp.ts';

type Request = {
  settings: NodeSettings;
  parts: Omit<NodeParts, 'transport' | 'store' | 'onFatal'>;
  database: string;
  stamp: Stamp;
};

/** Resolves when it is safe to end the process, or when this cannot go on either. */
export async function guardNode({ settings, parts, database, stamp }: Request): Promise<void> {
  const opened = openStore({ url: database, stamp });
  if (!opened.ok) return parts.log.error({}, opened.message);
  parts.log.warn(
    {},
    'no API any more: watching the chain until nothing is at stake. Interrupt twice to end at once',
  );
  const failed = createSignal();
  const { store } = opened;
  const guarding = startGuard(settings, { ...parts, store, onFatal: failed.raise });
  await Promise.race([guarding.done, failed.raised]);
  await guarding.stop();
}

function createSignal() {
  let raise = () => {};
  const raised = new Promise<void>((resolve) => {
    raise = resolve;
  });
  return { raise: () => raise(), raised };
}
