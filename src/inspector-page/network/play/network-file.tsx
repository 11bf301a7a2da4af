/** Saves the network as a file, and makes the network of a file. */
import { saveFile } from '../../../page-parts/save-file.ts';
import { loadCall, SAVED } from './calls.ts';
import type { DevnetPlay } from './play.ts';

export function NetworkFileButtons({ play }: { play: DevnetPlay }) {
  const load = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file !== undefined) await play.run(loadCall(location.origin, file.name, await file.text()));
    // The same file may be chosen again.
    input.value = '';
  };
  return (
    <p class="play-fields">
      <button
        type="button"
        title="The nodes, and their channels with the present balances as deposits"
        onClick={() => void save()}
      >
        Save the network
      </button>
      <label>
        Load a network{' '}
        <input
          type="file"
          accept=".json"
          onChange={({ currentTarget }) => void load(currentTarget)}
        />
      </label>
    </p>
  );
}

async function save(): Promise<void> {
  const answer = await fetch(SAVED);
  if (answer.ok) saveFile(await answer.blob(), 'network.json');
}
