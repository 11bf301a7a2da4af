/** Text of HTML, SVG and XML, into which values are only put escaped. */

/** Text that is already escaped. */
export type Markup = { readonly markup: string };
type Part = Markup | string | number | null | readonly Part[];

/** Characters that XML 1.0 forbids even escaped, and unpaired surrogates. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escapes text for an element or for an attribute in double quotes. */
export function escapeText(text: string): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Markup with values in it: strings and numbers are escaped; null is nothing. */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = pieces.map((piece, at) => (at === 0 ? piece : `${textOf(parts[at - 1])}${piece}`));
  return { markup: text.join('') };
}

function textOf(part: Part | undefined): string {
  if (part === null || part === undefined) return '';
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return part.toString();
  return 'markup' in part ? part.markup : part.map(textOf).join('');
}
