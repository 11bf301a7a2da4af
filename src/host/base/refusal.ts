/** Why a node does not start. A closed union, so that tests and callers need not read sentences. */
export type Problem =
  | 'chain_unavailable'
  | 'wrong_chain'
  | 'wrong_contracts'
  | 'invalid_settings'
  | 'key_in_use'
  | 'database'
  | 'replica'
  /** The stream of the replica cannot be reached: the database may be guarded meanwhile. */
  | 'replica_away'
  /** It is missing, or lacks what this node's database knows to have been in it: the database may be guarded. */
  | 'replica_lost'
  /** Another node owns the stream of this one's replica. */
  | 'taken_over'
  /** So it does, and this node's database has what never came into the stream: it has to be built again. */
  | 'diverged'
  /** The database cannot take what the stream of its replica has: it has to be built again, too. */
  | 'unfit'
  | 'api_address'
  | 'stately_inspect';

/** `message` tells the operator what is wrong and what to do. It never contains a key, a password or a URL. */
export type StartRefusal = { ok: false; problem: Problem; message: string };
export type Started<T> = { ok: true; value: T } | StartRefusal;

/** Whether another process is in this one's place. */
export function isFenced({ problem }: { problem?: Problem }): boolean {
  return problem === 'taken_over' || problem === 'diverged';
}

export function refusal(problem: Problem, message: string): StartRefusal {
  return { ok: false, problem, message };
}

export function started<T>(value: T): Started<T> & { ok: true } {
  return { ok: true, value };
}
