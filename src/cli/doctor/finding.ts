/** The finding of a check of `sluice doctor`, and how findings are printed. */
import { describe } from '../../chain/describe.ts';

type Verdict = 'ok' | 'warning' | 'failed' | 'skipped';
/** `advice`: what to do; null when nothing has to be done. */
export type Finding = { check: string; verdict: Verdict; found: string; advice: string | null };

const finding =
  (verdict: Verdict) =>
  (check: string, found: string, advice: string | null): Finding => ({
    check,
    verdict,
    found,
    advice,
  });

export const warning = finding('warning');
export const failed = finding('failed');
export const ok = (check: string, found: string) => finding('ok')(check, found, null);
/** A check that could not be made; `why` says what it needs. */
export const skipped = (check: string, why: string) => finding('skipped')(check, why, null);

/** Runs a check; a check that throws counts as failed, so that the others can go on. */
export async function examined(
  check: string,
  work: () => Promise<Finding[]> | Finding[],
): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [failed(check, `cannot be checked: ${describe(error)}`, 'mend this and ask again')];
  }
}

export function tableOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, verdict, found, advice }) => [
    `${verdict.padEnd(8)} ${check.padEnd(width)}  ${found}`,
    ...(advice === null ? [] : [`${' '.repeat(9 + width)}  -> ${advice}`]),
  ]);
  const count = (wanted: Verdict) => findings.filter(({ verdict }) => verdict === wanted).length;
  const left = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
  const total = `${count('ok')} ok, ${count('warning')} to look at, ${count('failed')} failed${left}`;
  return [...lines, '', total].join('\n');
}
