/** What the scope of a token lets its holder do. */

type Scope = 'read' | 'receive' | 'pay' | 'admin';
const COVERED: Record<Scope, readonly Scope[]> = {
  read: ['read'],
  receive: ['receive'],
  pay: ['read', 'pay'],
  admin: ['read', 'receive', 'pay', 'admin'],
};

export const may = (has: Scope, wanted: Scope): boolean => COVERED[has].includes(wanted);
