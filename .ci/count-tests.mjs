/**
 * Counts the tests of a run, by the report that vitest writes as JSON.
 *
 *   count-tests.mjs first REPORT FAILED NAME   prints "PASSED FAILED", and adds each test that failed to FAILED
 *   count-tests.mjs again REPORT FAILED NAME   prints how many of those that failed in this run have passed now, says which
 *   count-tests.mjs files FAILED NAME          prints the files of the tests of this run that failed; none if it broke off
 *   count-tests.mjs tell FAILED                prints what they said
 *   count-tests.mjs slowest REPORT             prints the seconds of each file, and its name
 *
 * FAILED has one JSON value in each line. A file that cannot even be loaded, or a run that breaks off, counts as one
 * test without a name.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [mode, ...given] = process.argv.slice(2);
const linesOf = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse);

function reportIn(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text === '' ? {} : JSON.parse(text);
}

/** Each test of the report with what it said, and each file that could not be loaded. */
function testsOf({ testResults = [] }) {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.map(({ fullName, status, failureMessages = [] }) => ({
      file,
      test: fullName,
      status,
      text: failureMessages.join('\n').slice(0, 4_000),
    }));
    const text = message.slice(0, 4_000);
    return message === '' ? tests : [...tests, { file, test: '', status: 'failed', text }];
  });
}

function first(report, failures, name) {
  const all = reportIn(report);
  const tests = testsOf(all);
  const failed = tests.filter(({ status }) => status === 'failed');
  if (all.success !== true && failed.length === 0)
    failed.push({ file: '', test: `${name} broke off`, text: '' });
  for (const { file, test, text } of failed)
    appendFileSync(failures, `${JSON.stringify({ run: name, file, test, text })}\n`);
  const left = tests.filter(({ status }) => ['skipped', 'pending'].includes(status)).length;
  if (left > 0)
    console.error(`== ${left} tests of ${name} were skipped, for lack of time or of a program`);
  console.log(all.numPassedTests ?? 0, failed.length);
}

function again(report, failures, name) {
  const tests = testsOf(reportIn(report));
  const hasPassed = (one) => {
    const same = tests.filter(({ file }) => file === one.file);
    if (one.test === '') return same.length > 0 && same.every(({ status }) => status !== 'failed');
    return same.some(({ test, status }) => test === one.test && status === 'passed');
  };
  const passed = linesOf(failures).filter((one) => one.run === name && hasPassed(one));
  for (const { file, test } of passed)
    console.error(`== PASSED ONLY WHEN ASKED AGAIN, ALONE: ${file} ${test}`);
  console.log(passed.length);
}

function files(failures, name) {
  const own = linesOf(failures).filter(({ run }) => run === name);
  const found = own.some(({ file }) => file === '') ? [] : own.map(({ file }) => file);
  for (const file of new Set(found)) console.log(file);
}

function tell(failures) {
  for (const { file, test, text } of linesOf(failures))
    console.log(`== FAILED: ${file} ${test}\n${text}`);
}

function slowest(report) {
  for (const { name, startTime, endTime } of reportIn(report).testResults ?? [])
    console.log(((endTime - startTime) / 1_000).toFixed(1), relative(process.cwd(), name));
}

({ first, again, files, tell, slowest })[mode](...given);
