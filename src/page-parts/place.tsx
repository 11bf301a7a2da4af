/** The place of a page in its address after `#`. */
import { useEffect, useState } from 'preact/hooks';

/** The place that the address names now. */
export function usePlace<Place>(placeOf: (hash: string) => Place): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const follow = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

/** For the keyboard: past what is above the view. Not a link: the address keeps the place. */
export function SkipButton() {
  return (
    <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
      Skip to the view
    </button>
  );
}
