/** A program with `--standby`: waits for its turn, then runs. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../basics/environment.ts';
import type { StandingBy, StoodBy } from '../host/replica/follow-owner.ts';
import type { Following } from '../replica/standby.ts';
import { announce, refuse } from './process/terminal.ts';
import type { OpenedProgram, Running } from './run/program.ts';

/** The exit code of a program in whose place another one runs: a supervisor must not start it again as it was. */
export const FENCED = 4;

type Standing = {
  /** The stream's name. */
  stream: string;
  log: Log;
  /** Waits until the stream is to be taken. */
  follow(waiting: Omit<StandingBy, 'takeoverAfterMs'>): Promise<StoodBy>;
  /** Opens the program in the place of the owner of this epoch; see `ReplicaConfig`. */
  begin(taking: { takesFrom: number | null; isOrdered: boolean }): Promise<OpenedProgram>;
  /** Ends the program with this exit code. */
  end(code: number): void;
};

const RETRY_MS = 2_000;

/** Begins at once; whatever ends the program ends the waiting or what runs. */
export function standByThenRun(standing: Standing): Running {
  const stop = new AbortController();
  let program: Running | null = null;
  const run = async () => {
    const opened = await waitAndBegin(standing, stop.signal);
    if (opened === null) return;
    if (opened.ok) program = opened.value;
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
      await program?.stop();
    },
    async atEnd(code, interrupted) {
      await program?.atEnd?.(code, interrupted);
    },
  };
}

/** The opened program, what refuses it, or null after `stop`. */
async function waitAndBegin(standing: Standing, stop: AbortSignal): Promise<OpenedProgram | null> {
  const { stream, log, follow, begin } = standing;
  let isBuiltAnew = false;
  for (;;) {
    const onFollowing = (state: () => Following) =>
      announce(`standby: follows ${stream} from record ${state().at.sequence}`);
    const stood = await follow({ isBuiltAnew, stop, onFollowing });
    if (!stood.ok) return stood;
    if (stood.type === 'stopped') return null;
    log.warn({ stream, epoch: stood.takesFrom }, 'the standby takes over');
    const { takesFrom, isOrdered } = stood;
    const opened = await begin({ takesFrom, isOrdered });
    if (opened.ok) return opened;
    isBuiltAnew = 'problem' in opened && ['diverged', 'unfit'].includes(opened.problem);
    log.warn({}, `the takeover failed: ${opened.message}`);
    await delay(RETRY_MS, null, { signal: stop }).catch(() => null);
  }
}
