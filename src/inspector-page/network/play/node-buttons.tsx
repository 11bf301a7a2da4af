/** Buttons that stop or kill one node and start it again, that disconnect it from the message broker, and that add one. */
import type { PlayDeed } from '../../../inspector/devnet-wire.ts';
import { addCall, deedCall } from './calls.ts';
import type { DevnetPlay } from './play.ts';

const WORDS: Record<PlayDeed, { button: string; doing: string }> = {
  stop: { button: 'Stop', doing: 'is stopping …' },
  kill: { button: 'Kill -9', doing: 'is being killed …' },
  start: { button: 'Start', doing: 'is starting …' },
  disconnect: { button: 'Cut off', doing: 'is being cut off …' },
  connect: { button: 'Connect', doing: 'is being connected …' },
};
const NO_KILL = 'All nodes run in one process: start the devnet with --processes to kill one';

export function NodeButtons({ play, name }: { play: DevnetPlay; name: string }) {
  const node = play.view.value?.nodes.find((candidate) => candidate.name === name);
  if (node === undefined) return null;
  const { busy, isRunning, isConnected, canKill, pid } = node;
  if (busy !== null) return <span class="mark-quiet"> {WORDS[busy].doing}</span>;
  const button = (deed: PlayDeed, isOff = false) => {
    const call = deedCall(location.origin, name, deed);
    return (
      <button
        key={deed}
        type="button"
        disabled={isOff}
        title={isOff ? NO_KILL : deed === 'kill' ? `kill -9 ${pid}, or ${call.curl}` : call.curl}
        aria-label={`${WORDS[deed].button} ${name}`}
        onClick={() => void play.run(call)}
      >
        {WORDS[deed].button}
      </button>
    );
  };
  return (
    <span class="play-buttons">
      {isRunning ? [button('stop'), button('kill', !canKill)] : button('start')}
      {isConnected === null ? null : button(isConnected ? 'disconnect' : 'connect')}
      {isRunning ? null : <strong class="network-away">■ stopped</strong>}
      {isConnected === false ? <strong class="network-away">⌁ cut off</strong> : null}
    </span>
  );
}

/** The pages that the node serves itself. */
export function NodeLinks({ name, play }: { name: string; play: DevnetPlay | null }) {
  const api = play?.view.value?.nodes.find((node) => node.name === name)?.api;
  if (api === undefined) return null;
  return (
    <>
      {' '}
      <a href={`${api}/wallet/`} aria-label={`Wallet of ${name}`}>
        wallet
      </a>{' '}
      <a href={`${api}/inspector/`} aria-label={`Inspector of ${name}`}>
        inspector
      </a>
    </>
  );
}

export function AddNode({ play }: { play: DevnetPlay }) {
  const view = play.view.value;
  if (view === null) return null;
  const { coming, nodes, mostNodes } = view;
  if (coming !== null)
    return (
      <p class="mark-quiet" role="status">
        {coming} gets money and starts …
      </p>
    );
  const call = addCall(location.origin);
  const isFull = nodes.length >= mostNodes;
  return (
    <p>
      <button
        type="button"
        disabled={isFull}
        title={isFull ? `There are ${nodes.length} nodes: no more than ${mostNodes}` : call.curl}
        onClick={() => void play.run(call)}
      >
        Add a node
      </button>
    </p>
  );
}
