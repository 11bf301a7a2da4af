/** The token of a node's API, for commands that call it. */
import type { Found } from '../options/key.ts';
import { privateContentOf } from '../process/files.ts';

/** Empty: there is no file. */
export function tokenIn(file: string | null): Found<string> {
  if (file === null) return { ok: true, value: '' };
  const content = privateContentOf(file, '--token-file');
  if (!content.ok) return content;
  const [word = ''] = content.value.trim().split(/\s/);
  return /^[\x21-\x7e]+$/.test(word)
    ? { ok: true, value: word }
    : { ok: false, message: `${file} holds no token` };
}
