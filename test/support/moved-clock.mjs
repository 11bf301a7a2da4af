/**
 * Loaded into a node's process before the program (`node --import`): its clocks run ahead of the machine's by
 * as many milliseconds as the file named by MOVED_CLOCK says. The program itself knows nothing of it.
 */
import { readFileSync } from 'node:fs';

const file = process.env.MOVED_CLOCK ?? '';
const wall = Date.now;
const monotonic = performance.now.bind(performance);

function ahead() {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
Date.now = () => wall() + ahead();
performance.now = () => monotonic() + ahead();
