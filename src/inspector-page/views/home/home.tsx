/** What the node has and does: what can be paid and received, its channels, and payments as they come. */
import { type Signal, signal } from '@preact/signals';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { NodeFacts } from '../../../inspector/wire.ts';
import { isNamed, personName } from '../../../page-parts/labels.ts';
import { ProblemNote } from '../../../page-parts/problem.tsx';
import { pageHash } from '../../base/router.ts';
import { Title } from '../../frame/title.tsx';
import { useOverview } from '../../live/overview-feed.ts';
import { Channels, type ChannelsLook, PAGE, USUAL_CHANNELS } from './channels.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Payments } from './payments.tsx';
import { Sums } from './sums.tsx';

/** The reader's choices, kept while another place is open. */
const look: Signal<ChannelsLook> = signal(USUAL_CHANNELS);

type HomeProps = { source: InspectorSource; facts: NodeFacts | null };

export function HomeView({ source, facts }: HomeProps) {
  const { find, state, order, from } = look.value;
  const { overview, problem } = useOverview(source, facts, {
    ...{ find, state, order },
    ...{ from: `${from}`, limit: `${PAGE}` },
  });
  const name = facts !== null && isNamed(facts.address) ? personName(facts.address) : 'This node';
  return (
    <section class="home" aria-label="What the node has and does">
      <header class="home-head">
        <Title place={{ view: 'home' }}>{name}</Title>
        <a href={pageHash({ view: 'actors' })}>All actors, as a map or a table</a>
      </header>
      <ProblemNote text={problem} />
      {overview === null ? (
        <p class="waiting">Waiting for the node …</p>
      ) : overview.channels.all + overview.opening.length === 0 ? (
        <FirstSteps token={facts?.tokens[0] ?? null} />
      ) : (
        <Sums tokens={overview.tokens} />
      )}
      {overview !== null && (
        <div class="home-lists">
          {overview.channels.all + overview.opening.length > 0 && (
            <Channels
              source={source}
              overview={overview}
              look={look.value}
              onLook={(change) => {
                look.value = { ...look.value, ...change };
              }}
            />
          )}
          <Payments payments={overview.payments} />
        </div>
      )}
    </section>
  );
}
