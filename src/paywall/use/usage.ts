/**
 * The tokens that a language model says it used: `usage` of a JSON text, at its top or in its `response` or `message`. The
 * text is read as it passes, byte by byte, and nothing of it is kept but the names above the place and the number at it:
 * so it may be of any length, and what a caller had written into its strings is not taken for a name.
 */

/** The last that was said of each; null: nothing. */
export type Usage = { total: number | null; input: number | null; output: number | null };
export const NO_USAGE: Usage = { total: null, input: null, output: null };

const FIELDS: Record<string, keyof Usage> = {
  total_tokens: 'total',
  input_tokens: 'input',
  output_tokens: 'output',
};
const AROUND = ['response', 'message'];
/** Objects in one another at whose names is looked. */
const DEEPEST = 3;
const LONGEST_NAME = 16;
const MOST_DIGITS = 15;

/** Null: it says neither the sum nor both parts. */
export function tokensOf({ total, input, output }: Usage): number | null {
  if (total !== null) return total;
  return input === null || output === null ? null : input + output;
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [COMMA, BRACE, BRACKET, END_BRACE, END_BRACKET] = [0x2c, 0x7b, 0x5b, 0x7d, 0x5d];
const [ZERO, NINE] = [0x30, 0x39];

/** Reads one JSON text. */
export function createUsageReader() {
  let found = NO_USAGE;
  let depth = 0;
  /** By depth: after which name it is. */
  let names: (string | null)[] = [];
  let text: string | null = null;
  let isInString = false;
  let isEscaped = false;
  /** Of the number that is being read, and where it belongs. */
  let digits = '';
  let field: keyof Usage | null = null;

  function fieldHere(): keyof Usage | null {
    const path = names.slice(1, depth + 1);
    const at = depth === DEEPEST && AROUND.includes(path[0] ?? '') ? 1 : 0;
    return depth === at + 2 && path[at] === 'usage' ? (FIELDS[path[at + 1] ?? ''] ?? null) : null;
  }

  function inString(byte: number): void {
    if (!isEscaped && byte === QUOTE) {
      isInString = false;
      return;
    }
    isEscaped = !isEscaped && byte === BACKSLASH;
    text = text === null || text.length >= LONGEST_NAME ? null : text + String.fromCharCode(byte);
  }

  function take(byte: number): void {
    if (isInString) inString(byte);
    else if (byte > 0x20) outside(byte);
  }

  function outside(byte: number): void {
    if (field !== null && byte >= ZERO && byte <= NINE) {
      if (digits.length <= MOST_DIGITS) digits += String.fromCharCode(byte);
    } else if (byte === COMMA || byte === END_BRACE || byte === END_BRACKET) {
      if (field !== null && digits !== '' && digits.length <= MOST_DIGITS)
        found = { ...found, [field]: Number(digits) };
      field = null;
      if (byte !== COMMA) depth -= 1;
    } else if (byte === COLON) {
      if (depth <= DEEPEST) names[depth] = text;
      field = fieldHere();
      digits = '';
    } else {
      // What has other signs is no whole number.
      field = null;
      isInString = byte === QUOTE;
      text = isInString && depth <= DEEPEST ? '' : null;
      if (byte === BRACE || byte === BRACKET) depth += 1;
    }
  }

  return {
    take,
    found: (): Usage => found,
    /** For the next text. */
    reset(): void {
      found = NO_USAGE;
      depth = 0;
      names = [];
      text = null;
      isInString = false;
      isEscaped = false;
      digits = '';
      field = null;
    },
  };
}
