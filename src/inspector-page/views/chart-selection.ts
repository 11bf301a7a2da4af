/** What of a chart the reader points at. */
export type Selection = { kind: 'state' | 'edge'; id: string };
