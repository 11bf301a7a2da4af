// Runs in the page: what it shows, as data. An expression, evaluated by `read.ts`.
(() => {
  const box = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const isShown = (element) =>
    element.checkVisibility({ opacityProperty: false, visibilityProperty: true }) &&
    element.closest('.unseen') === null;
  const attribute = (element, name) => element.getAttribute(name);
  /** Ends of an SVG line on the screen. */
  const endsOf = (line) => {
    const place = line.getScreenCTM();
    const at = (x, y) => {
      const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(place);
      return { left, top };
    };
    return [
      at(line.x1.baseVal.value, line.y1.baseVal.value),
      at(line.x2.baseVal.value, line.y2.baseVal.value),
    ];
  };
  const isLine = (element) => element instanceof SVGLineElement;
  const trackOf = (element) =>
    isLine(element)
      ? element.parentElement.querySelector(':scope > line[data-track]')
      : element.parentElement.closest('[data-track]');

  const claimed = (element) => ({
    claim: attribute(element, 'data-figure'),
    value: attribute(element, 'data-value'),
    unit: attribute(element, 'data-unit'),
    at: attribute(element, 'data-at'),
  });
  const all = [...document.querySelectorAll('[data-figure]')].filter(isShown);
  const figures = all
    .filter((element) => !element.hasAttribute('data-whole'))
    .map((element) => ({
      ...claimed(element),
      text: (element.textContent ?? '').trim(),
      title: attribute(element, 'title'),
    }));
  const bars = [...document.querySelectorAll('[data-whole]')].map((element) => {
    const track = trackOf(element);
    const isStraight = isLine(element);
    return {
      ...claimed(element),
      whole: attribute(element, 'data-whole'),
      start: attribute(element, 'data-start') ?? '0',
      way: attribute(element, 'data-bar') ?? 'right',
      ends: isStraight ? endsOf(element) : null,
      trackEnds: isStraight && track !== null ? endsOf(track) : null,
      box: box(element),
      trackBox: track === null ? null : box(track),
    };
  });

  /** The corners of a path of absolute commands, on the screen. */
  const cornersOf = (path) => {
    const place = path.getScreenCTM();
    const corners = [];
    let [x, y] = [0, 0];
    for (const [, command, numbers] of attribute(path, 'd').matchAll(/([MLHV])([^MLHVZ]*)/g)) {
      const given = numbers
        .trim()
        .split(/[\s,]+/)
        .map(Number);
      if (command === 'H') [x] = given;
      else if (command === 'V') [y] = given;
      else [x, y] = given;
      const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(place);
      corners.push({ left, top });
    }
    return corners;
  };
  const plots = [...document.querySelectorAll('[data-plot]')].filter(isShown).map((plot) => {
    const ticks = [...plot.querySelectorAll('[data-tick]')].map((tick) => ({
      axis: attribute(tick, 'data-tick'),
      value: attribute(tick, 'data-value'),
      unit: attribute(tick, 'data-unit'),
      text: (tick.querySelector('text')?.textContent ?? '').trim(),
      mark: box(tick.querySelector('line, path')),
      label: tick.querySelector('text') === null ? null : box(tick.querySelector('text')),
    }));
    const lines = [...plot.querySelectorAll('[data-line]')].map((path) => ({
      claim: attribute(path, 'data-line'),
      unit: attribute(path, 'data-unit'),
      points: attribute(path, 'data-points')
        .split(' ')
        .filter((point) => point !== '')
        .map((point) => point.split(',')),
      moments: (attribute(path, 'data-moments') ?? '').split(' ').filter((one) => one !== ''),
      corners: cornersOf(path),
    }));
    return { name: attribute(plot, 'data-plot'), box: box(plot), ticks, lines };
  });

  /** Amounts that nobody can check: written outside of a figure. */
  const symbols = (attribute(document.documentElement, 'data-symbols') ?? '')
    .split(' ')
    .filter(Boolean);
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.textContent ?? '').trim();
    const parent = node.parentElement;
    if (text === '' || parent === null || parent.closest('script, style, noscript') !== null)
      continue;
    if (!isShown(parent)) continue;
    texts.push({ node, text, parent });
  }
  const stray = texts
    .filter(
      ({ parent }) =>
        parent.closest('[data-figure], [data-tick], [data-record], code, pre, option, input') ===
        null,
    )
    .filter(({ text }) => symbols.some((symbol) => new RegExp(`[\\d…] ${symbol}\\b`).test(text)))
    .map(({ text }) => text);

  const range = document.createRange();
  const scaleOf = (element) => {
    const svg = element.closest('svg');
    const place =
      svg === null || !(element instanceof SVGGraphicsElement) ? null : element.getScreenCTM();
    return place === null ? 1 : Math.hypot(place.a, place.b);
  };
  const scrolls = (element) => {
    for (let at = element; at !== null && at !== document.body; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const clipped = (element, rect) => {
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (/auto|scroll/.test(style.overflowX)) return null;
      if (!/hidden|clip/.test(style.overflowX) || style.textOverflow === 'ellipsis') continue;
      const edge = at.getBoundingClientRect();
      if (edge.width <= 2) return null;
      if (rect.right > edge.right + 1.5 || rect.left < edge.left - 1.5)
        return at.className || at.tagName;
    }
    return null;
  };
  const small = new Map();
  const cut = [];
  const labels = [];
  for (const { node, text, parent } of texts) {
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1) continue;
    const size = Number.parseFloat(getComputedStyle(parent).fontSize) * scaleOf(parent);
    if (size < 10.95) small.set(text.slice(0, 40), Math.round(size * 10) / 10);
    const isPanned = parent.closest('[data-pannable]') !== null;
    const by = isPanned ? null : clipped(parent, rect);
    if (by !== null) cut.push(`${text.slice(0, 60)} (by ${by})`);
    else if (!isPanned && (rect.right > innerWidth + 1 || rect.left < -1) && !scrolls(parent))
      cut.push(text.slice(0, 60));
    const svg = parent.closest('svg');
    if (svg !== null) labels.push({ svg, text, rect });
  }
  const overlaps = labels.flatMap((one, index) =>
    labels
      .slice(index + 1)
      .filter(
        ({ svg, rect }) =>
          svg === one.svg &&
          Math.min(rect.right, one.rect.right) - Math.max(rect.left, one.rect.left) > 2 &&
          Math.min(rect.bottom, one.rect.bottom) - Math.max(rect.top, one.rect.top) > 3,
      )
      .map(({ text }) => `${one.text} × ${text}`),
  );
  return {
    figures,
    bars,
    plots,
    stray,
    layout: {
      width: innerWidth,
      overflow: document.documentElement.scrollWidth - innerWidth,
      small: [...small].map(([text, size]) => `${text}: ${size} px`),
      cut,
      overlaps,
    },
  };
})();
