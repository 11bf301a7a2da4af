/** The lines of a file that may be large. */
import type { Pieces } from './graph.ts';

/** No line of a table of channels is as long. */
const MOST_LETTERS = 100_000;

/** Yields line by line, without their ends; a line that is far too long comes in parts. */
export async function* linesOf(pieces: Pieces): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MOST_LETTERS) {
      lines.push(rest);
      rest = '';
    }
    yield lines;
  }
  if (rest !== '') yield [rest];
}
