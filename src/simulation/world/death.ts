/** Thrown in the code of a process that has died, so that it does not go on. */
export class Death extends Error {}
