/**
 * A run that pauses between two moments, until it gets the next goal. Inspecting changes nothing: the same seed
 * gives the same trace, however often the run pauses.
 */
import type { RunResult } from '../report/results/result.ts';
import type { Run, RunEvent } from '../run/build.ts';
import { MIX, mixScenario } from '../run/mix/mix.ts';
import type { Moment } from '../run/play.ts';
import { simulate } from '../run/simulate.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import { realNow } from '../workers/real-clock.ts';
import type { Cast, Committed, Goal, Reply, Standing, Subject } from './messages.ts';
import { type Back, createMilestones } from './milestones.ts';

type Options = {
  subject: Subject;
  send(reply: Reply): void;
  /** The next goal; asked for whenever the run pauses. */
  next(): Promise<Goal>;
};

/** Real milliseconds after which a run on its way pauses to report its progress and to take another goal. */
const SLICE_MS = 50;
/** The most commits in one message. */
const MOST_COMMITS = 500;
const EVENTS_KEPT = 40;
const ADDRESS = /0x[0-9a-fA-F]{40}\b/g;

/** Performs the run. Resolves at its end. */
export async function perform({ subject, send, next }: Options): Promise<void> {
  const { source, seed } = subject;
  const scenario = source.kind === MIX ? mixScenario(seed) : source.scenario;
  const milestones = createMilestones();
  const latest: string[] = [];
  let named = (text: string) => text;
  let down = (): string[] => [];
  let events = 0;
  let commits: Committed[] = [];
  let goal = await next();
  let begun = realNow();

  function sendCommits() {
    if (commits.length > 0) send({ type: 'commits', commits });
    commits = [];
  }

  async function stand(here: Here): Promise<void> {
    do {
      sendCommits();
      const standing = { ...standingAt(here, milestones.back()), down: down() };
      send({ type: 'stands', standing, isReached: isReached(goal, here), latest: [...latest] });
      goal = await next();
    } while (isReached(goal, here));
    begun = realNow();
  }

  const result = await simulate({
    scenario,
    seed,
    onBuilt(run) {
      const cast = castOf(run, scenario);
      named = withNames(cast);
      down = () => downIn(run);
      send({ type: 'cast', cast });
    },
    onCommit(index, batch) {
      if (commits.push({ index, batch }) >= MOST_COMMITS) sendCommits();
    },
    onEvent(event) {
      events += 1;
      latest.push(named(eventText(event)));
      if (latest.length > EVENTS_KEPT) latest.shift();
    },
    onMoment(moment) {
      const here = { ...moment, events };
      milestones.pass(here);
      return isReached(goal, here) || realNow() - begun >= SLICE_MS ? stand(here) : null;
    },
  });
  sendCommits();
  const end = standingAt({ ...endOf(result), events }, milestones.backFromEnd());
  const standing = { ...end, down: down() };
  const outcome = { verdict: result.verdict, text: endText(result) };
  send({ type: 'over', standing, outcome, latest: [...latest] });
}

type Here = Moment & { events: number };

function isReached(goal: Goal, { steps, events, block, virtualMs }: Here): boolean {
  return (
    steps >= goal.steps ||
    events >= goal.events ||
    block >= goal.block ||
    virtualMs >= goal.virtualMs
  );
}

function standingAt({ trace, ...here }: Here, back: Back): Omit<Standing, 'down'> {
  return { ...here, ...back, trace: trace() };
}

function endOf({ steps, virtualMs, blocks, payments, trace }: RunResult): Moment {
  return { steps, virtualMs, block: blocks, payments: payments.started, trace: () => trace };
}

function endText({ verdict, violation, expectations }: RunResult): string {
  if (violation !== null) return `invariant ${violation.invariant}: ${violation.text}`;
  const unmet = expectations.filter(({ isMet }) => !isMet);
  if (unmet.length > 0)
    return `not as expected: ${unmet.map(({ text, actual }) => `${text}, was ${actual}`).join('; ')}`;
  return verdict === 'passed' ? 'nothing was violated, and all that was expected came' : verdict;
}

function eventText({ step, virtualMs, who, what }: RunEvent): string {
  return `${step} ${virtualMs} ${who} ${what}`;
}

function downIn({ world }: Run): string[] {
  const dead = world.inhabitants.filter(({ machine }) => machine.node() === null);
  return dead.map(({ machine }) => machine.name);
}

/** Replaces addresses by the names of their nodes. */
function withNames({ nodes }: Cast): (text: string) => string {
  const names = new Map<string, string>(nodes.map(({ address, name }) => [address, name]));
  return (text) => text.replaceAll(ADDRESS, (address) => names.get(address) ?? address);
}

function castOf({ plan, world }: Run, { title, network, run, chain }: Scenario): Cast {
  return {
    nodes: plan.nodes.map(({ index, name, revealTimeout }) => {
      return { name, address: world.addressOf(index), revealTimeout };
    }),
    token: { address: world.token, ...network.token },
    chainId: world.chainId,
    title,
    blocks: Number(run.blocks),
    blockMs: chain.blockTime * 1000,
  };
}
