/** How many there are, by asking whether there is one at a place: twice the logarithm of their number of times. */
export async function countThere(isThere: (at: number) => Promise<boolean>): Promise<number> {
  let above = 1;
  while (await isThere(above - 1)) above *= 2;
  let [few, many] = [Math.floor(above / 2), above - 1];
  while (few < many) {
    const middle = Math.floor((few + many) / 2);
    if (await isThere(middle)) few = middle + 1;
    else many = middle;
  }
  return few;
}
