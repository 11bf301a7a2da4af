/** Reads files that options name. */
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../basics/message-of.ts';
import { type Found, found, wrong } from './found.ts';

/** The file's content as text. `option`: named in the message of a failure. */
export function contentOf(file: string, option: string): Found<string> {
  try {
    return found(readFileSync(file, 'utf8'));
  } catch (error) {
    return wrong(`the file of ${option} cannot be read: ${messageOf(error)}`);
  }
}

/** The content of a file that no other user may read. Windows has no such file modes. */
export function privateContentOf(file: string, option: string): Found<string> {
  const content = contentOf(file, option);
  if (!content.ok || process.platform === 'win32') return content;
  if ((statSync(file).mode & 0o077) === 0) return content;
  return wrong(
    `the file of ${option} is open to other users of this machine: run "chmod 600 ${file}"`,
  );
}
