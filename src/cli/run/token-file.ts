/** The token of a node's API, for commands that call it. */
import { privateContentOf } from '../process/files.ts';
import { type Found, found, wrong } from '../process/found.ts';

/** Empty: there is no file. */
export function tokenIn(file: string | null): Found<string> {
  if (file === null) return found('');
  const content = privateContentOf(file, '--token-file');
  if (!content.ok) return content;
  const [word = ''] = content.value.trim().split(/\s/);
  return /^[\x21-\x7e]+$/.test(word) ? found(word) : wrong(`${file} holds no token`);
}
