/** Prints an answer, and says what came of it when it is not what was asked for, or not all of it. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bought } from '../../x402/client.ts';
import { receiptIn } from '../../x402/headers.ts';
import { session } from '../process/session.ts';
import { refuse } from '../process/terminal.ts';

/** On a terminal, the signs of a server could hide what was paid. */
export const plain = (text: string): string => text.replace(/\p{C}/gu, '?');

/** `paid`: null: nothing was. The exit code: 0 for a whole answer below 300. */
export async function shown(answer: Response, url: string, paid: Bought | null): Promise<number> {
  const { status, statusText, ok, body } = answer;
  const { host } = new URL(url);
  const charge = paid === null ? '' : chargeOf(answer, paid);
  let size = 0;
  async function* counted() {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    await pipeline(Readable.from(counted()), session().out, { end: false });
  } catch (error) {
    // The reader of a pipe has seen enough.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE'))
      return refuse(`the answer of ${host} (${status}) was cut off after ${size} bytes${charge}`);
  }
  if (ok) return 0;
  const location = answer.headers.get('location');
  const leads = location === null || status >= 400 ? '' : ` and leads to ${placeOf(location, url)}`;
  return refuse(`${host} answers ${`${status} ${plain(statusText)}`.trim()}${leads}${charge}`);
}

function chargeOf({ headers }: Response, { identifier }: Bought): string {
  const isCharged = receiptIn(headers)?.success;
  const payment = `(payment ${identifier})`;
  if (isCharged === true) return `; it was charged ${payment}`;
  if (isCharged === false)
    return `; it was not charged ${payment}: the payment is released, but its proof ends with this command, and nobody else has it`;
  return `; it was paid ${payment}, and the server does not say whether it has charged it`;
}

function placeOf(location: string, url: string): string {
  return URL.canParse(location, url) ? new URL(location, url).href : plain(location);
}
