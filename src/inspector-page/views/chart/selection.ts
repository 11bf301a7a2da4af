/** The part of a chart that the reader selected. */
export type Selection = { kind: 'state' | 'edge'; id: string };
