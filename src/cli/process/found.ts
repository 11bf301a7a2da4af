/** What an option asks for, or what is wrong with it. */

type Wrong = { ok: false; message: string };
/** `message` tells the person what is wrong and what to do. */
export type Found<T> = { ok: true; value: T } | Wrong;

export const found = <T>(value: T): Found<T> & { ok: true } => ({ ok: true, value });
export const wrong = (message: string): Wrong => ({ ok: false, message });
