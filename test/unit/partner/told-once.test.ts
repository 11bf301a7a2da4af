import { describe, expect, it } from 'vitest';
import { toldOnce } from '../../../src/basics/told-once.ts';

function makeTeller() {
  const heard: string[] = [];
  return { heard, ...toldOnce((problem) => heard.push(problem)) };
}

describe('what an operator is told', () => {
  it('comes once, however often it is met', () => {
    const { heard, report } = makeTeller();
    for (const problem of ['away', 'away', 'refused', 'away']) report(problem);
    expect(heard).toEqual(['away', 'refused']);
  });

  it('comes again after things were well', () => {
    const { heard, report, forget } = makeTeller();
    report('away');
    forget();
    report('away');
    expect(heard).toEqual(['away', 'away']);
  });

  it('takes little memory, whatever a server says', () => {
    const { heard, report } = makeTeller();
    for (let n = 0; n < 250; n++) report(`problem ${n}`);
    report('problem 249');
    report('problem 0');
    expect(heard).toHaveLength(251);
  });
});
