/**
 * The extension `payment-identifier` of x402: a client that names its call by it may ask again when the answer was lost, and a
 * server that declares it gives the same answer again, for a while.
 */
export const IDENTIFIER = 'payment-identifier';
const ID = /^[a-zA-Z0-9_-]{16,128}$/;

/** What such a server puts into its offers. */
export const DECLARED = {
  info: { required: false },
  schema: {
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
    },
    required: ['required'],
  },
};

function infoIn(extensions: unknown): Record<string, unknown> | null {
  const declared: { info?: unknown } = Object(Object(extensions)[IDENTIFIER]);
  return typeof declared.info === 'object' && declared.info !== null ? { ...declared.info } : null;
}

/** Whether the server that offers this gives an answer again. */
export const isRepeatable = (extensions: unknown): boolean => infoIn(extensions) !== null;

/** Null: the client names its call by none, or by one that is none. */
export function identifierIn(extensions: unknown): string | null {
  const id = infoIn(extensions)?.['id'];
  return typeof id === 'string' && ID.test(id) ? id : null;
}

/** What a client adds to the extensions of an offer: the same with each call that shows its proof. */
export function identified(extensions: Record<string, unknown>, tag: string) {
  const info = infoIn(extensions);
  if (info === null) return extensions;
  const id = `offer_${tag.slice(2, 34)}`;
  return { ...extensions, [IDENTIFIER]: { ...DECLARED, info: { ...info, id } } };
}
