/** Thrown through the code of a process that has died, so that nothing of it goes on. */
export class Death extends Error {}
