/** What the scope of a token lets its holder do. */

type Scope = 'read' | 'pay' | 'admin';
const SCOPES: readonly Scope[] = ['read', 'pay', 'admin'];

/** Each scope includes those before it. */
export const may = (has: Scope, wanted: Scope): boolean =>
  SCOPES.indexOf(has) >= SCOPES.indexOf(wanted);
