/** `sluice node --standby`: waits for its turn, then runs the node. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../basics/environment.ts';
import type { NodeConfig } from '../host/node-config.ts';
import type { ReplicaConfig } from '../host/replica/open-replica.ts';
import { standBy } from '../host/stand-by.ts';
import type { Following } from '../replica/standby.ts';
import type { Signer } from '../signer/signer.ts';
import { announce, refuse } from './process/terminal.ts';
import type { OpenedProgram, Running } from './run/program.ts';

/** The exit code of a node in whose place another one runs: a supervisor must not start it again as it was. */
export const FENCED = 4;

type Replicated = NodeConfig & { replica: ReplicaConfig };
type Standing = {
  config: Replicated;
  signer: Signer;
  log: Log;
  takeoverAfterMs: number | null;
  /** Opens the node. */
  begin(config: NodeConfig): Promise<OpenedProgram>;
  /** Ends the program with this exit code. */
  end(code: number): void;
};

const RETRY_MS = 2_000;

/** Begins at once; whatever ends the program ends the waiting or the node. */
export function standByThenRun(standing: Standing): Running {
  const stop = new AbortController();
  let node: Running | null = null;
  const run = async () => {
    const opened = await waitAndBegin(standing, stop.signal);
    if (opened === null) return;
    if (opened.ok) node = opened.value;
    else standing.end(refuse(opened.message));
  };
  const running = run().catch((error: unknown) => {
    standing.log.error({ error: String(error) }, 'the standby failed');
    standing.end(1);
  });
  return {
    async stop() {
      stop.abort();
      await running;
      await node?.stop();
    },
    async atEnd(code, interrupted) {
      await node?.atEnd?.(code, interrupted);
    },
  };
}

/** The opened node, what refuses it, or null after `stop`. */
async function waitAndBegin(standing: Standing, stop: AbortSignal): Promise<OpenedProgram | null> {
  const { config, log, begin, takeoverAfterMs } = standing;
  const { stream } = config.replica;
  let isBuiltAnew = false;
  for (;;) {
    const onFollowing = (state: () => Following) =>
      announce(`standby: follows ${stream} from record ${state().at.sequence}`);
    const waiting = { config, hooks: standing, takeoverAfterMs, stop, onFollowing };
    const stood = await standBy({ ...waiting, isBuiltAnew });
    if (!stood.ok) return stood;
    if (stood.type === 'stopped') return null;
    log.warn({ stream, epoch: stood.takesFrom }, 'the standby takes over');
    const opened = await begin({
      ...config,
      replica: { ...config.replica, takesFrom: stood.takesFrom, isOrdered: stood.isOrdered },
    });
    if (opened.ok) return opened;
    isBuiltAnew = 'problem' in opened && ['diverged', 'unfit'].includes(opened.problem);
    log.warn({}, `the takeover failed: ${opened.message}`);
    await delay(RETRY_MS, null, { signal: stop }).catch(() => null);
  }
}
