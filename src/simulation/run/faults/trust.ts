/**
 * Which nodes of a run are held to which rules: a disk that lies takes from a node what no program can restore, and in a large
 * network only some are looked at.
 */
export type Trust = ReturnType<typeof createTrust>;

/** `isChecked`: whether the node is honest, and one of those that the scenario has checked. */
export function createTrust(isChecked: (index: number) => boolean) {
  const forgetful = new Set<number>();
  const restored = new Set<number>();
  const isTrusted = (index: number) => isChecked(index) && !forgetful.has(index);

  return {
    /** Whether all invariants about its actions hold for the node, such as never signing two things with one nonce. */
    isTrusted,
    /** Whether the node has everything that it ever wrote down, so that it must not lose money either. */
    isWhole: (index: number) => isTrusted(index) && !restored.has(index),
    /** Its disk has lost writes that it claimed to be durable. Only its partners can tell the node. */
    lostWrites: (index: number) => void forgetful.add(index),
    /** An old copy of its disk was put back, and the node knows it. */
    putBack: (index: number) => void restored.add(index),
  };
}
