/** Runs a program that holds a key, a node or a service, from its options to the signal that ends it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../basics/environment.ts';
import type { Problem } from '../../host/base/refusal.ts';
import type { Signer } from '../../signer/signer.ts';
import { unlock } from '../options/key.ts';
import type { KeyChoice } from '../options/node-options.ts';
import type { Found } from '../process/found.ts';
import { deferred, INTERRUPTED, onStopSignal, refuse } from '../process/terminal.ts';

const FAREWELL_MS = 10_000;

/** `config`: the checked options. `end`: ends the program with this exit code. */
type Opening<Config> = { config: Config; signer: Signer; end(code: number): void };
export type Running = {
  stop(): Promise<void>;
  /** Called before `stop`; `interrupted` resolves when a signal asks the program to end. */
  atEnd?(code: number, interrupted: Promise<void>): Promise<void>;
};
/** `code`: the exit code; absent: that of every refusal. */
type Refused = { ok: false; message: string; code?: number; problem?: Problem };
export type OpenedProgram = Found<Running> | Refused;
type Program<Config> = {
  log: Log;
  key: KeyChoice;
  configure(): Found<Config>;
  open(opening: Opening<Config>): Promise<OpenedProgram>;
  /** Called on a SIGHUP when there is no terminal; absent: a SIGHUP stops the program. */
  renew?: () => void;
};

/** Answers the exit code. A refusal is printed, and says what to do. */
export async function runProgram<Config>(program: Program<Config>): Promise<number> {
  const { log, key, configure, open, renew } = program;
  const ending = deferred<number>();
  const interrupted = deferred<void>();
  let isOpen = false;
  onStopSignal({
    stop() {
      // Before the program is open there is nothing to end in order.
      if (!isOpen) process.exit(INTERRUPTED);
      ending.resolve(0);
      interrupted.resolve();
    },
    force: () => process.exit(INTERRUPTED),
    ...(renew === undefined ? {} : { renew }),
  });
  const config = configure();
  if (!config.ok) return refuse(config.message);
  log.info({}, 'opening the key');
  const signer = await unlock(key);
  if (!signer.ok) return refuse(signer.message);
  const opened = await open({ config: config.value, signer: signer.value, end: ending.resolve });
  isOpen = true;
  if (!opened.ok) return refuseStart(opened);
  const { atEnd } = opened.value;
  const code = await ending.promise;
  await atEnd?.(code, interrupted.promise);
  log.info({}, 'stopping');
  await stopInTime(opened.value);
  signer.value.wipe();
  return code;
}

/** Prints a refusal, and answers the exit code. */
export function refuseStart(refused: Extract<OpenedProgram, { ok: false }>): number {
  const code = refuse(refused.message);
  return 'code' in refused && refused.code !== undefined ? refused.code : code;
}

/** What does not come, such as a broker's answer, is not waited for. */
export async function stopInTime({ stop }: Pick<Running, 'stop'>): Promise<void> {
  await Promise.race([stop(), delay(FAREWELL_MS)]);
}
