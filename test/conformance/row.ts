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
  /** The node that is asked; alice by default. */
  node?: NodeName;
  /** Replaces the method of the endpoint. */
  method?: string;
  /** What replaces the names in the endpoint's path; by default the first token and bob. */
  with?: Record<string, string>;
  /** Replaces the path of the endpoint. */
  path?: string;
  query?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string;
  headers?: Record<string, string>;
  /** What the test brings about before it asks. */
  given?: (devnet: Devnet) => Promise<unknown>;
  /** What the test brings about while it waits for the answer. */
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
  /** Checks what must be true after the answer. */
  afterwards?: (devnet: Devnet, body: unknown) => Promise<unknown>;
};

/** Rows of one endpoint. */
export function at(endpoint: Endpoint, rows: Omit<Row, 'endpoint'>[]): Row[] {
  return rows.map((row) => ({ endpoint, ...row }));
}
