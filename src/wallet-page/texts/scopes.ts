/** What the scope of a token lets its holder do. */

type Scope = 'metrics' | 'read' | 'receive' | 'pay' | 'admin';
const COVERED: Record<Scope, readonly Scope[]> = {
  metrics: ['metrics'],
  read: ['metrics', 'read'],
  receive: ['receive'],
  pay: ['metrics', 'read', 'pay'],
  admin: ['metrics', 'read', 'receive', 'pay', 'admin'],
};

export const may = (has: Scope, wanted: Scope): boolean => COVERED[has].includes(wanted);
