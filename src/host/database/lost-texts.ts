/** What people are told of a database that was deleted or replaced under its node: what follows, and what to do. */
import { basename, dirname } from 'node:path';
import type { Loss } from '../../store/durability/place.ts';
import type { Rescue } from '../../store/durability/rescue.ts';

/** `reason`: why it could not be written anew so far; null: that was not tried yet. */
export function lostText(loss: Loss, reason: string | null): string {
  if (reason === null) return `${whatOf(loss)}. It is written anew.`;
  return (
    `${whatOf(loss)}. It could not be written anew: ${reason}. Mend that: it is tried again at least every ` +
    'minute. If the process ends before, what was paid since the last backup is lost.'
  );
}

/** What has become of it; `database`: the path that the node was given. */
export function rescuedText(outcome: Rescue, database: string): string {
  const what = 'The database was deleted or replaced while the node had it open';
  if (!outcome.ok)
    return `${what}, and could not be written anew: ${outcome.reason}. If it never can be, what was paid since the last backup is lost`;
  if (outcome.isInPlace)
    return `${what}, and was written anew in its place: nothing is lost, and the node goes on when it is started again`;
  const [name, log] = [basename(database), `${basename(database)}-wal`];
  return (
    `${what}. It could not be written anew in its place, and lies whole ${whereIs(outcome.file, database)}. End the node ` +
    `in order, move what is named ${name} or ${log} out of the way, give that file the name ${name}, and start the node ` +
    'again, with no other database'
  );
}

function whereIs(file: string, database: string): string {
  return dirname(file) === dirname(database)
    ? `beside it, in ${basename(file)}`
    : `in ${basename(file)} in the folder of the node's state`;
}

/** Whoever may read the status may not know where files lie. */
function whatOf({ file, isMissing }: Loss): string {
  const what = isMissing
    ? `${basename(file)} was deleted or moved`
    : `something else was put in the place of ${basename(file)}`;
  return `While the node has its database open, ${what}: no payment is begun, taken or passed on`;
}
