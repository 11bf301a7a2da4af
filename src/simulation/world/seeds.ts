/** The greatest number that a run may be given as its seed. */
export const HIGHEST_SEED = 2 ** 32 - 1;
