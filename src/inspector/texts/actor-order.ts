/** The order of channels' ids: by network, then by number. Thousands are compared while others wait: no collator is as fast. */
export function byActorId(a: string, b: string): number {
  return inOrder(networkOf(a), networkOf(b)) || a.length - b.length || inOrder(a, b);
}

const networkOf = (actor: string) => actor.slice(0, actor.lastIndexOf(':'));
const inOrder = (a: string, b: string) => (a < b ? -1 : Number(a > b));
