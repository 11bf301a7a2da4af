/** Which nodes of a run are held to what: a disk that lies takes from a node what no program can give back. */
export type Trust = ReturnType<typeof createTrust>;

export function createTrust(isHonest: (index: number) => boolean) {
  const forgetful = new Set<number>();
  const restored = new Set<number>();
  const isTrusted = (index: number) => isHonest(index) && !forgetful.has(index);

  return {
    /** Whatever it does is held against the invariants: it never signs two things for one place, and the like. */
    isTrusted,
    /** It has everything that it ever wrote down, so that it must not lose anything either. */
    isWhole: (index: number) => isTrusted(index) && !restored.has(index),
    /** Its disk had promised to hold what is gone now. Nobody can tell it but its partners. */
    lostWrites: (index: number) => void forgetful.add(index),
    /** An old copy of its disk was put back, which it knows of. */
    putBack: (index: number) => void restored.add(index),
  };
}
