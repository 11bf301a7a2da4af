/** Shows the inspector in the terminal. It only reads. */
import * as v from 'valibot';
import { endedRow, isWanted } from '../../inspector/actor-list.ts';
import { machineDefinitions } from '../../inspector/charts/definitions.ts';
import { type FoundActor, findActor } from '../../inspector/find-actor.ts';
import { jsonOf } from '../../inspector/replay/plain-numbers.ts';
import {
  type ConnectionState,
  createSource,
  type InspectorSource,
  SourceError,
} from '../../inspector/source.ts';
import { actorLines } from '../../inspector/texts/text-actor.ts';
import { actorListLines } from '../../inspector/texts/text-actor-list.ts';
import { COLOURS, type Paint, PLAIN } from '../../inspector/texts/text-parts.ts';
import { stepLines } from '../../inspector/texts/text-steps.ts';
import type { ActorList, StepRecords } from '../../inspector/wire.ts';
import type { InspectOptions } from '../options/inspect.ts';
import type { Nothing } from '../options/settings.ts';
import { plainUrl } from '../options/values.ts';
import { session } from '../process/session.ts';
import { deferred, onStopSignal, print, refuse, say } from '../process/terminal.ts';
import { tokenIn } from './token-file.ts';

type Options = Omit<InspectOptions, 'tokenFile'> & {
  source: InspectorSource;
  url: string;
  paint: Paint;
};

/** The exit code. */
export async function inspect(
  url: string,
  actor: string | null,
  { tokenFile, filter, isOnce, steps, from, isJson, ...left }: InspectOptions,
): Promise<number> {
  left satisfies Nothing;
  const parsed = v.safeParse(plainUrl, url);
  if (!parsed.success) return refuse(`the URL ${parsed.issues[0].message}`);
  const token = tokenIn(tokenFile);
  if (!token.ok) return refuse(token.message);
  const source = createSource(baseOf(parsed.output));
  source.setToken(token.value);
  const { out, environment } = session();
  const isPlain = isJson || !out.isTTY || (environment['NO_COLOR'] ?? '') !== '';
  const paint = isPlain ? PLAIN : COLOURS;
  const options = { filter, isOnce, steps, from, isJson, source, url, paint };
  // It can be ended at any moment, because it holds nothing that could be lost.
  const end = () => process.exit(0);
  onStopSignal({ stop: end, force: end });
  try {
    return await (actor === null ? watchActors(options) : watchActor(options, actor));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return refuse(`${url}: ${adviceOn(error)}`);
  }
}

/** The inspector's URL, from any URL of the node's API that somebody copied. */
function baseOf(url: string): string {
  const { origin, pathname } = new URL(url);
  const place = pathname.replace(/\/(api\/v1|inspector)\/?$/, '').replace(/\/+$/, '');
  return `${origin}${place}/inspector/`;
}

function adviceOn({ status, message }: SourceError): string {
  switch (status) {
    case 0:
      return 'no node answers there: is it running, and is this the address of its API?';
    case 401:
      return 'the node demands a token: give the file with it as --token-file';
    case 403:
      return 'the node does not take this token, or calls by this name of its host';
    case 404:
      return 'there is no inspector: is this the address of a node, and does it run without --no-inspector?';
    default:
      return message;
  }
}

async function watchActors(options: Options): Promise<number> {
  const { source, filter, isOnce, from, isJson, paint } = options;
  const given = Object.entries(filter).filter(([, value]) => value !== null);
  const query = Object.fromEntries(given.map(([name, value]) => [name, `${value}`]));
  const actors = await source.read('actors', 'actors', query);
  write(isJson ? actors.actors.map((row) => jsonOf(row)) : actorListLines(actors, paint), options);
  if (isOnce) return 0;
  const isShown = chosen(options, actors);
  const machine = filter.machine === null ? {} : { machine: filter.machine };
  return follow(options, { after: from ?? actors.seq, query: machine }, (step) => {
    if (isShown(step)) write(linesOf(step, options, false), options);
  });
}

/** Which steps belong to actors that match the filter, including actors spawned later. */
function chosen({ filter }: Options, { actors }: ActorList): (step: StepRecords) => boolean {
  if (Object.values(filter).every((value) => value === null)) return () => true;
  const known = new Set(actors.map(({ actor }) => actor));
  return (step) => {
    for (const record of step) {
      if (record.kind !== 'spawn') continue;
      const row = endedRow(record, record.context);
      if (isWanted({ ...filter, state: null }, row, record.context)) known.add(record.actor);
    }
    return step[0] !== undefined && known.has(step[0].actor);
  };
}

async function watchActor(options: Options, given: string): Promise<number> {
  const { source, isOnce, steps, from, isJson, paint } = options;
  const actors = await source.read('actors', 'actors', { ended: '1' });
  const found = findActor(actors.actors, given);
  if (!found.ok) return refuse(unknownText(options, given, found));
  const { actor } = found;
  const path = `actors/${encodeURIComponent(actor)}`;
  const view = await source.read('actor', path);
  const chart = machineDefinitions().find(({ version }) => version === view.version) ?? null;
  write(isJson ? [jsonOf(view)] : actorLines(view, chart, paint), options);
  const history = await source.read('history', `${path}/history`, { limit: `${steps}` });
  const past = history.steps.filter((step) => from === null || (step[0]?.seq ?? 0) <= from);
  if (!isJson && past.length > 0) write(['', paint.strong('Steps')], options);
  for (const step of past) write(linesOf(step, options, true), options);
  if (isOnce || view.row.isEnded) return 0;
  const last = history.steps.at(-1)?.at(-1)?.seq ?? view.seq;
  return follow(options, { after: from ?? last, query: { actor } }, (step) =>
    write(linesOf(step, options, true), options),
  );
}

function unknownText(
  { url }: Options,
  given: string,
  { doSeveralFit, candidates }: Extract<FoundActor, { ok: false }>,
): string {
  if (candidates.length === 0)
    return `${url} has no actor "${given}": call "sluice inspect ${url}" to see them`;
  const list = candidates.map((id) => `  ${id}`).join('\n');
  return doSeveralFit
    ? `which "${given}" of ${url}? Name one of these, whole or cut as the list shows it:\n${list}`
    : `${url} has no actor "${given}". Nearest:\n${list}`;
}

type Following = { after: number; query: Record<string, string> };

/** Follows the node's steps until it no longer accepts the token. */
function follow(
  { source, url }: Options,
  following: Following,
  onStep: (step: StepRecords) => void,
): Promise<number> {
  const { promise, resolve } = deferred<number>();
  let isLost = false;
  let last = following.after;
  const onState = (state: ConnectionState) => {
    if (state === 'token') resolve(refuse(`${url}: the node does not take the token any more`));
    if (state === 'lost' && !isLost)
      say(`sluice: the node is lost after step ${last}: trying again`);
    if (state === 'live' && isLost) say(`sluice: the node is back, going on after step ${last}`);
    if (state === 'lost' || state === 'live') isLost = state === 'lost';
  };
  const stop = source.follow({
    ...following,
    onState,
    onSteps(steps) {
      for (const step of steps) {
        last = step[0]?.seq ?? last;
        onStep(step);
      }
    },
  });
  return promise.finally(stop);
}

function linesOf(step: StepRecords, options: Options, isDetailed: boolean): string[] {
  if (options.isJson) return step.map((record) => jsonOf(record));
  return stepLines(step, options.paint, isDetailed);
}

/** Control characters that a terminal would obey; group 1 are this program's own colour marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const OBEYED = /(\x1b\[(?:0|1|2|31|32)m)|[\x00-\x1f\x7f-\x9f]/g;

/** Prints lines without foreign control characters, because the names and values in them may be chosen by anybody. */
function write(lines: readonly string[], { paint }: Options): void {
  if (lines.length === 0) return;
  const clean = (line: string) =>
    line.replace(OBEYED, (_, mark?: string) => (paint === COLOURS ? mark : undefined) ?? ' ');
  print(lines.map(clean).join('\n'));
}
