/** One row of the conformance table: a condition that the document or the decisions page speaks of. */
import type { GenericSchema } from 'valibot';
import type { Devnet } from './devnet.ts';
import type { Endpoint } from './documented.ts';
import type { NodeName } from './nodes.ts';

/** Names in braces, such as `{bob}`, stand for what the devnet knows under them. */
export type Row = {
  endpoint: Endpoint;
  /** When the row holds. */
  condition: string;
  source: `document: ${string}` | `decision: ${string}`;
  /** Who is asked; alice. */
  node?: NodeName;
  /** Instead of that of the endpoint. */
  method?: string;
  /** What stands for the names in the endpoint's path; the first token and bob. */
  with?: Record<string, string>;
  /** Instead of the endpoint's. */
  path?: string;
  query?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string;
  headers?: Record<string, string>;
  /** Brought about before. */
  given?: (devnet: Devnet) => Promise<unknown>;
  /** Brought about while the answer is waited for. */
  meanwhile?: (devnet: Devnet) => Promise<unknown>;
  /** The chain does not move until the answer is there: no lock can expire. */
  isStill?: boolean;
  status: number;
  /** The form of the whole body. */
  answer: GenericSchema;
  /** What the body holds besides its form. */
  shows?: unknown;
  /** What the answer's headers hold. */
  shownHeaders?: Record<string, string>;
  /** What is true afterwards. */
  afterwards?: (devnet: Devnet, body: unknown) => Promise<unknown>;
};

/** Rows of one endpoint. */
export function at(endpoint: Endpoint, rows: Omit<Row, 'endpoint'>[]): Row[] {
  return rows.map((row) => ({ endpoint, ...row }));
}
