// The share of changes that were found, by CPU minutes, and the table in the documentation.
export const MINUTES = [1, 3, 10, 30];

/** `[minutes, share in words]` up to the minutes that each change was given. */
export function curveOf(judged, minutes) {
  const found = judged.filter(({ end }) => end === 'found');
  return MINUTES.filter((one) => one <= minutes).map((after) => {
    const soon = found.filter(({ cpuMs }) => cpuMs <= after * 60_000).length;
    return [after, `${soon} of ${judged.length} (${Math.round((100 * soon) / judged.length)} %)`];
  });
}

export function rowOf({ drawn, judged, curve, minutes, seed, worlds }) {
  const at = (after) => curve.find(([one]) => one === after)?.[1] ?? '';
  const cells = [
    new Date().toISOString().slice(0, 10),
    worlds,
    `${drawn.length}, seed ${seed}`,
    minutes,
  ];
  return `| ${[...cells, judged.length, ...MINUTES.map(at)].join(' | ')} |`;
}

/** The document with one more row at the end of its table. */
export function withRow(text, row) {
  return `${text.trimEnd()}\n${row}\n`;
}
