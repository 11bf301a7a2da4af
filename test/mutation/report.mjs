// The results of this run and, for other files, of earlier ones: results.json, and survivors.md to read.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const RESULTS = 'dist/mutation/results.json';

export function writeReport(mutants) {
  const earlier = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
  const kept = Object.entries(earlier).filter(([file]) => existsSync(file));
  const fresh = Object.entries(grouped(mutants, ({ file }) => file));
  const results = Object.fromEntries([...kept, ...fresh].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync('dist/mutation/survivors.md', markdownOf(results));
}

/** `static` ones do not count: they are evaluated once, before a switch can be turned. */
function count(mutants) {
  const ends = (...names) => mutants.filter(({ end }) => names.includes(end)).length;
  const killed = ends('failure', 'timeout');
  const counted = mutants.length - ends('static');
  const share = counted === 0 ? '' : `${((100 * killed) / counted).toFixed(1)} %`;
  return {
    mutants: mutants.length,
    killed,
    static: ends('static'),
    survived: counted - killed,
    share,
  };
}

export function grouped(list, keyOf) {
  const groups = {};
  for (const one of list) {
    groups[keyOf(one)] ??= [];
    groups[keyOf(one)].push(one);
  }
  return groups;
}

export function totalOf(name, all) {
  const { mutants, killed, static: fixed, survived, share } = count(all);
  return `${name}: ${mutants} mutants, ${killed} killed, ${fixed} static, ${survived} survived: ${share}`;
}

export const isAlive = ({ end }) => end === 'survived' || end === 'unmet';

export function lineOf({ file, line, column, before, after, end }) {
  const short = (text) =>
    text.replace(/\s+/g, ' ').length > 90
      ? `${text.replace(/\s+/g, ' ').slice(0, 90)}…`
      : text.replace(/\s+/g, ' ');
  const note = end === 'unmet' ? ' (no test comes here)' : '';
  return `${file}:${line}:${column} ${short(before)} => ${short(after)}${note}`;
}

function markdownOf(results) {
  const row = (name, mutants) => `| ${name} | ${Object.values(count(mutants)).join(' | ')} |`;
  const folders = grouped(
    Object.keys(results),
    (file) =>
      file.match(/^(machines\/\w[\w-]*(?=\/)|machines|src\/\w+(\/\w+(?=\/))?)/)?.[0] ?? file,
  );
  const lines = [
    '| folder | mutants | killed | static | survived | share |',
    '|---|---|---|---|---|---|',
  ];
  for (const [folder, files] of Object.entries(folders)) {
    lines.push(
      row(
        folder,
        files.flatMap((file) => results[file]),
      ),
    );
  }
  lines.push(row('all', Object.values(results).flat()), '');
  for (const [file, mutants] of Object.entries(results)) {
    const alive = mutants.filter(isAlive);
    if (alive.length > 0)
      lines.push(`## ${file}`, '', ...alive.map((one) => `- \`${lineOf(one)}\``), '');
  }
  return `${lines.join('\n')}\n`;
}
