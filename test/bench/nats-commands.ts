/** What clients write to a NATS server, cut into its commands. */

const LINE_END = '\r\n';

/** Answers a function that takes the bytes as they come; `take` gets each command as soon as it is whole. */
export function createCommandReader(take: (command: Buffer) => void): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  return (bytes) => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    for (let end = endOfCommand(unread); end !== null; end = endOfCommand(unread)) {
      take(unread.subarray(0, end));
      unread = unread.subarray(end);
    }
  };
}

/** Whether the command publishes sealed messages to a node: nothing of presence, and no answer to a request. */
export function carriesMessages(command: Buffer): boolean {
  const [name = '', subject = ''] = wordsOf(command, command.indexOf(LINE_END));
  return isPublish(name) && subject.startsWith('sluice.') && !subject.endsWith('.presence');
}

/** Null: not all of it is there yet. */
function endOfCommand(bytes: Buffer): number | null {
  const line = bytes.indexOf(LINE_END);
  if (line < 0) return null;
  const words = wordsOf(bytes, line);
  const begin = line + LINE_END.length;
  const end = isPublish(words[0] ?? '') ? begin + Number(words.at(-1)) + LINE_END.length : begin;
  return bytes.length < end ? null : end;
}

const wordsOf = (bytes: Buffer, line: number) => bytes.toString('latin1', 0, line).split(' ');
const isPublish = (name: string) => name === 'PUB' || name === 'HPUB';
