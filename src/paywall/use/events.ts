/**
 * The events of a text/event-stream, counted as they pass: an event is a block of lines of which one has data, as browsers
 * have it. It works on bytes, so that it makes no difference where a chunk begins, and keeps nothing of them.
 */

const [LF, CR, COLON] = [0x0a, 0x0d, 0x3a];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const DATA = [0x64, 0x61, 0x74, 0x61];

type Told = {
  /** A byte of the data of the event, or the end of a line of it. */
  data(byte: number): void;
  /** The event is over. */
  end(): void;
};

export function createEventReader({ data, end }: Told = { data() {}, end() {} }) {
  let events = 0;
  let isOpen = false;
  let isAfterCr = false;
  let seen = 0;
  /** Bytes of the line, and how many of them are those of `data`; null: it has another name. */
  let length = 0;
  let matched: number | null = 0;
  let isValue = false;

  function endOfLine(): void {
    if (isValue || (matched === DATA.length && length === matched)) isOpen = true;
    if (isValue) data(LF);
    if (length === 0 && isOpen) {
      events += 1;
      isOpen = false;
      end();
    }
    length = 0;
    matched = 0;
    isValue = false;
  }

  function inLine(byte: number): void {
    length += 1;
    if (isValue) data(byte);
    else if (matched === DATA.length && byte === COLON) {
      isValue = true;
      isOpen = true;
    } else matched = matched !== null && byte === DATA[matched] ? matched + 1 : null;
  }

  return {
    take(byte: number): void {
      if (seen < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[seen++]) return;
      seen = BYTE_ORDER_MARK.length;
      const isPair = byte === LF && isAfterCr;
      isAfterCr = byte === CR;
      if (isPair) return;
      if (byte === LF || byte === CR) endOfLine();
      else inLine(byte);
    },
    /** Whether it is the second half of the end of a line. */
    isPairedBy: (byte: number): boolean => isAfterCr && byte === LF,
    /** With the one that has begun. */
    count: (): number => events + (isOpen ? 1 : 0),
    isOpen: (): boolean => isOpen,
  };
}
