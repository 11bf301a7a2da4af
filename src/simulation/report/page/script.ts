/**
 * The only script of a report: it shows values where the reader points or steps with the arrow keys, sorts tables
 * and switches colours. Everything can be read without it.
 */
export const SCRIPT = `
'use strict';
for (const plot of document.querySelectorAll('svg[data-places]')) {
  const section = plot.closest('section');
  const readout = section.querySelector('.readout');
  const summary = [...readout.childNodes];
  const told = section.querySelector('template').content.children;
  const pointer = plot.querySelector('.pointer');
  const isFree = plot.hasAttribute('data-free');
  let points = null;
  let current = -1;
  const read = () => (points ??= plot.dataset.places === '' ? [] : plot.dataset.places.split('\\n').map((line) => {
    const [x, y] = line.split(' ');
    return { x: Number(x), y: Number(y) };
  }));
  const show = (at) => {
    const point = read()[at];
    if (point === undefined) return;
    current = at;
    readout.replaceChildren(...told[at].cloneNode(true).childNodes);
    if (isFree) {
      pointer.setAttribute('cx', point.x);
      pointer.setAttribute('cy', point.y);
    } else {
      pointer.setAttribute('x1', point.x);
      pointer.setAttribute('x2', point.x);
    }
  };
  const hide = () => {
    current = -1;
    readout.replaceChildren(...summary);
    for (const name of isFree ? ['cx', 'cy'] : ['x1', 'x2']) pointer.setAttribute(name, -99);
  };
  plot.addEventListener('pointermove', (event) => {
    const place = plot.getBoundingClientRect();
    const scale = plot.viewBox.baseVal.width / place.width;
    const x = (event.clientX - place.left) * scale;
    const y = (event.clientY - place.top) * scale;
    let nearest = -1;
    let least = Infinity;
    read().forEach((point, at) => {
      const away = isFree ? (point.x - x) ** 2 + (point.y - y) ** 2 : Math.abs(point.x - x);
      if (away < least) [least, nearest] = [away, at];
    });
    show(nearest);
  });
  plot.addEventListener('pointerleave', () => {
    if (document.activeElement !== plot) hide();
  });
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', (event) => {
    const last = read().length - 1;
    const next = {
      ArrowRight: Math.min(last, current + 1),
      ArrowLeft: Math.max(0, current - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Escape') hide();
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  });
}

const keyOf = (row, column) => {
  const cell = row.cells[column];
  const value = cell.dataset.sort ?? cell.dataset.value;
  return value === undefined ? cell.textContent : /^-?\\d+$/.test(value) ? BigInt(value) : Number(value);
};
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const isNumber = head.classList.contains('number');
    const was = head.getAttribute('aria-sort');
    const isDown = was === null ? isNumber : was === 'ascending';
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
    const order = new Intl.Collator('en', { numeric: true });
    keyed.sort((a, b) => typeof a.key === 'string' ? order.compare(a.key, b.key) : a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
    if (isDown) keyed.reverse();
    body.append(...keyed.map(({ row }) => row));
  }));
}

const theme = document.querySelector('#theme');
theme.hidden = false;
theme.addEventListener('change', () => {
  if (theme.value === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
`;
