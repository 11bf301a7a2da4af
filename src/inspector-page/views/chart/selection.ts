/** The part of a chart that the reader selected. */
export type ChartSelection = { kind: 'state' | 'edge'; id: string };
