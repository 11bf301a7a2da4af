/** Texts that contracts and endpoints have chosen, made fit for people's eyes. */

/** At most 200 characters of printable ASCII: contracts and endpoints may put anything into a text. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

/** An error in a few words, from whatever library; a library's whole message may hold what nobody should read. */
export function briefly(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { shortMessage }: { shortMessage?: unknown } = Object(error);
  return printable(
    typeof shortMessage === 'string' ? `${error.name}: ${shortMessage}` : error.message,
  );
}

/** Shortest part of a URL that may be a key: shorter ones are words and versions. */
const SHORTEST_KEY = 8;

/** The text without what the endpoint repeats of its own URL, which may hold a key: path, query, name and password. */
export function withoutKeys(text: string, url: string): string {
  if (!URL.canParse(url)) return text;
  const { pathname, search, username, password } = new URL(url);
  const parts = [...`${pathname}${search}`.split(/[/?&=]/), username, password];
  return parts
    .flatMap((part) => [part, decodedOrSame(part)])
    .filter((part) => part.length >= SHORTEST_KEY)
    .reduce((left, part) => left.replaceAll(part, '(hidden)'), text);
}

function decodedOrSame(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** As a sentence of its own. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) || begun === '' ? begun : `${begun}.`;
}
