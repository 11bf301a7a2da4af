/** What is done once a batch is on disk: submit, publish, answer, report. */

import type { SendOnce, Tx } from '../../../../machines/effects.ts';
import type { Fault } from '../../../basics/fault.ts';
import type { RouteFinder } from '../knowledge/route-finder.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { News } from './news.ts';
import type { Afterwards, AnswerEffect } from './open-batch.ts';
import { isSentOnce } from './open-batch.ts';
import type { Questions } from './questions.ts';
import { whenSettled } from './round.ts';

type Parts = {
  publisher: {
    post(key: string, messageId: bigint): void;
    repeat(rows: ReturnType<Outbox['lacking']>): void;
    once(effect: SendOnce): void;
    flush(): void;
  };
  outbox: Pick<Outbox, 'lacking'>;
  jobs: { submit(job: Tx): void; forget(key: string): void };
  questions: Pick<Questions, 'answer'>;
  /** Tables that may have grown with the commit. */
  news: readonly Pick<News, 'announce'>[];
  /** Called before anything else is sent: informs the services that look after the channels that changed. */
  announceChannels(changed: ReadonlySet<string>): void;
  /** Never fails, and is not waited for. */
  reportRoute: RouteFinder['report'];
  /** Called when a channel has left the chain: what it left behind can be deleted. */
  sweep(): void;
  fault: Fault;
};

/** The function that is called after each commit with what that commit asked for. */
export function createPerform(parts: Parts) {
  const { publisher, outbox, jobs, questions, news, fault } = parts;

  function post(afterwards: readonly Afterwards[]) {
    const asked = new Set<string>();
    for (const item of afterwards) {
      if (item.type === 'publish') publisher.post(item.key, item.messageId);
      else if (item.type === 'resend') asked.add(item.queue);
      else if (isSentOnce(item)) publisher.once(item);
    }
    // Once a batch, however often a partner asked for it in the batch.
    for (const queue of asked) publisher.repeat(outbox.lacking(queue));
  }

  function submit(afterwards: readonly Afterwards[]) {
    for (const item of afterwards) {
      if (item.type === 'forgetJob') jobs.forget(item.key);
      else if (item.type === 'sweep') parts.sweep();
      else if ('key' in item && 'from' in item) jobs.submit(item);
    }
  }

  function answer(answers: readonly AnswerEffect[]) {
    for (const one of answers) {
      fault('reply.before');
      questions.answer(one);
    }
  }

  return (afterwards: readonly Afterwards[], changed: ReadonlySet<string>) => {
    parts.announceChannels(changed);
    // What protects money on chain waits for nothing that others can make long.
    submit(afterwards);
    post(afterwards);
    const answers = afterwards.filter(isAnswer);
    // A caller who is alone does not wait for signatures; for the answers of many, partners would wait.
    if (answers.length === 1) whenSettled(publisher.flush);
    else publisher.flush();
    answer(answers);
    for (const item of afterwards)
      if (item.type === 'report.route') parts.reportRoute(item.route, item.isGood);
    for (const one of news) one.announce();
  };
}

const isAnswer = (item: Afterwards): item is AnswerEffect =>
  item.type === 'reply.ok' || item.type === 'reply.error';
