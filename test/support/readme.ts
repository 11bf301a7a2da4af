/** What the README tells a reader to paste. */
import { readFileSync } from 'node:fs';

export type Steps = {
  /** The command that starts the devnet. */
  start: string;
  /** What is pasted into another terminal, of all blocks. */
  commands: string;
};

/** "A payment, step by step". */
export function stepByStep(): Steps {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, rest = ''] = readme.split('## A payment, step by step\n');
  const [section = ''] = rest.split('\n## ');
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return { start: /^Start `(.*?)`/m.exec(section)?.[1] ?? '', commands: blocks.join('') };
}
