/** Asks a node what a row says, and compares. */
import * as v from 'valibot';
import { expect } from 'vitest';
import { OUTCOMES } from '../../src/protocol/codes.ts';
import { type Answer, apiAt } from '../support/api.ts';
import { until } from '../support/until.ts';
import type { Devnet } from './devnet.ts';
import { internalError, nothing } from './objects.ts';
import type { Row } from './row.ts';

export async function check(devnet: Devnet, row: Row): Promise<void> {
  await row.given?.(devnet);
  const asked = askUpToDate(devnet, row);
  await row.meanwhile?.(devnet);
  const answer = await (row.isStill === true ? asked : devnet.whileMining(asked));
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: row.status });
  const type = row.answer === internalError ? /^text\/plain/ : /^application\/json/;
  if (row.answer !== nothing) expect(answer.headers.get('content-type')).toMatch(type);
  const parsed = v.safeParse(row.answer, answer.body);
  const issues = parsed.issues?.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
  expect(issues, JSON.stringify(answer.body)).toBeUndefined();
  if (row.shows !== undefined) expect(answer).toMatchObject({ body: fill(devnet, row.shows) });
  expectOutcome(row, answer);
  for (const [name, value] of Object.entries(row.shownHeaders ?? {}))
    expect(answer.headers.get(name)).toBe(value);
  await row.afterwards?.(devnet, answer.body);
}

/** An answer that is no success says whether anything may still happen, if the call could have changed something. */
function expectOutcome({ endpoint, method, status, answer: form }: Row, answer: Answer): void {
  if (status < 300 || form === nothing) return;
  const isQuery = ['GET', 'HEAD'].includes(method ?? endpoint.split(' ')[0] ?? '');
  const told =
    form === internalError ? answer.headers.get('sluice-outcome') : Object(answer.body).outcome;
  expect(OUTCOMES.includes(told), `${told} is said of its outcome`).toBe(!isQuery);
}

/** A node that has not read the newest blocks yet is asked again, unless that is what the row is about. */
async function askUpToDate(devnet: Devnet, row: Row): Promise<Answer> {
  let answer = await ask(devnet, row);
  const isBehind = () => row.status !== 503 && v.is(behind, answer.body);
  await until(async () => {
    if (isBehind()) answer = await ask(devnet, row);
    return !isBehind();
  }, 'a node that has read the newest blocks');
  return answer;
}

const behind = v.object({ code: v.literal('chain_unavailable') });

/** The row's request, as it goes over the wire. */
async function ask(devnet: Devnet, row: Row): Promise<Answer> {
  const [ownMethod = '', ownPath = ''] = row.endpoint.split(' ');
  const changed = ownPath.replace(/\{(\w+)\}/g, (whole, name) => row.with?.[name] ?? whole);
  const path = devnet.filled((row.path ?? changed) + (row.query ?? ''));
  const text = row.body === undefined ? row.raw : JSON.stringify(row.body);
  const api = apiAt(await devnet.urlOf(row.node ?? 'alice'));
  return api.ask({
    method: row.method ?? ownMethod,
    path,
    ...(text === undefined ? {} : { raw: devnet.filled(text) }),
    ...(row.headers === undefined ? {} : { headers: row.headers }),
  });
}

/** The same with every name in it replaced; what is no text stays, such as a matcher. */
function fill(devnet: Devnet, value: unknown): unknown {
  if (typeof value === 'string') return devnet.filled(value);
  if (Array.isArray(value)) return value.map((each) => fill(devnet, each));
  if (value === null || typeof value !== 'object' || 'asymmetricMatch' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [devnet.filled(key), fill(devnet, each)]),
  );
}
