/**
 * Which nodes of a run are held to which rules: a disk that lies takes from a node what no program can restore, and in a large
 * network only some are looked at.
 */
export type Trust = ReturnType<typeof createTrust>;

/** `isChecked`: whether the node is honest, and one of those that the scenario has checked. */
export function createTrust(isChecked: (index: number) => boolean) {
  const forgetful = new Set<number>();
  const restored = new Set<number>();
  const refused = new Set<number>();
  const isTrusted = (index: number) => isChecked(index) && !forgetful.has(index);

  return {
    /** Whether all invariants about its actions hold for the node, such as never signing two things with one nonce. */
    isTrusted,
    /** Whether the node has everything that it ever wrote down, so that it must not lose money either. */
    isWhole: (index: number) => isTrusted(index) && !restored.has(index),
    /** Its disk has lost writes that it claimed to be durable. Only its partners can tell the node. */
    lostWrites: (index: number) => void forgetful.add(index),
    /** A copy of its disk was put back. `isRefused`: it is noted that it is old, and so its owner has to accept it first. */
    putBack(index: number, isRefused: boolean) {
      restored.add(index);
      if (isRefused) refused.add(index);
    },
    accept: (index: number) => void refused.delete(index),
    /** Whether the node may do nothing, since its owner has not accepted the old copy that it has. */
    isRefused: (index: number) => refused.has(index),
  };
}
