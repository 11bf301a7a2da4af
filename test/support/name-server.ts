/** A name server that knows what a test lets it know: names that come and go, as those of containers do. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const NO_ERROR = 0x8180;
const NO_SUCH_NAME = 0x8183;
/** A pointer to the name in the question, type A, class IN, for a second, four bytes: 127.0.0.1. */
const LOOPBACK = Buffer.from('c00c00010001000000010004' + '7f000001', 'hex');

export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

export async function startNameServer() {
  const known = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) =>
    socket.send(answerTo(question, known), port, address),
  );
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, known, stop: () => socket.close() };
}

/** RFC 1035, section 4.1: a header of 12 bytes, then the name in labels, each after its length. */
function answerTo(question: Buffer, known: ReadonlySet<string>): Buffer {
  const labels: string[] = [];
  let end = 12;
  for (let length = question[end] ?? 0; length > 0; length = question[end] ?? 0) {
    labels.push(question.toString('latin1', end + 1, end + 1 + length));
    end += 1 + length;
  }
  const isKnown = known.has(labels.join('.'));
  const hasAddress = isKnown && question.readUInt16BE(end + 1) === 1;
  const header = Buffer.alloc(12);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(isKnown ? NO_ERROR : NO_SUCH_NAME, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hasAddress ? 1 : 0, 6);
  return Buffer.concat([
    header,
    question.subarray(12, end + 5),
    hasAddress ? LOOPBACK : Buffer.alloc(0),
  ]);
}
