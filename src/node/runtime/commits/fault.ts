/** Lets a test kill the process at a named place. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { FAULT_POINTS, type Fault, noFault, SERVICE_FAULT_POINTS } from '../../../basics/fault.ts';

/**
 * Kills the process at once, without any cleanup, when a point is met for the nth time.
 *
 * `text` is "point:nth", counted from the start of the process, or "file:PATH": then the point and number are read from
 * that file as soon as it exists, counted from then on, and the file is removed. Null when it is neither.
 */
export function killAt(text: string): Fault | null {
  return text.startsWith('file:') ? killWhenTold(text.slice('file:'.length)) : killNow(text);
}

function killNow(text: string): Fault | null {
  const [point, nth] = text.split(':');
  const wanted = Number(nth);
  const isKnown = [...FAULT_POINTS, ...SERVICE_FAULT_POINTS].some((known) => known === point);
  if (!isKnown || !Number.isInteger(wanted) || wanted < 1) return null;
  let met = 0;
  return (here) => {
    if (here !== point) return;
    met += 1;
    if (met === wanted) process.kill(process.pid, 'SIGKILL');
  };
}

function killWhenTold(path: string): Fault {
  let kill: Fault = noFault;
  return (here) => {
    if (existsSync(path)) {
      kill = killNow(readFileSync(path, 'utf8')) ?? noFault;
      rmSync(path);
    }
    kill(here);
  };
}
