import { el } from './dom.js';
import { count, clock, time } from './format.js';
import { t } from './texts.js';

const STATES = ['scheduled', 'ready', 'inFlight', 'dead'];

/** Shares of a topic's messages by state. Each state present keeps a visible share. */
export function StateBar({ counts, label }) {
  const present = STATES.filter((state) => counts[state] > 0);
  const total = present.reduce((sum, state) => sum + counts[state], 0);
  const least = 3;
  const free = 100 - present.length * least;
  let x = 0;
  return el.svg(
    { class: 'state-bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    el.rect({ class: 'empty', x: 0, y: 0, width: 100, height: 8 }),
    present.map((state) => {
      const width = least + (free * counts[state]) / total;
      const rect = el.rect({ key: state, class: state, x, y: 0, width: Math.max(width - 0.6, 0.5), height: 8 });
      x += width;
      return rect;
    }),
  );
}

/** A line of the latest values, from zero, which begins with the first one known; later values that are null leave a gap. */
export function Sparkline({ values: all, kind, label }) {
  const isKnown = (value) => value !== null && value !== undefined;
  const first = all.findIndex(isKnown);
  const values = first < 0 ? [] : all.slice(first);
  const known = values.filter(isKnown);
  const top = Math.max(...known, 0);
  const step = values.length > 1 ? 100 / (values.length - 1) : 100;
  let path = '';
  let pen = 'M';
  values.forEach((value, i) => {
    if (!isKnown(value)) {
      pen = 'M';
      return;
    }
    const y = top === 0 ? 22 : 22 - (20 * value) / top;
    path += `${pen}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
    pen = 'L';
  });
  return el.svg(
    { class: `sparkline ${kind}`, viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    path === '' ? null : el.path({ class: top === 0 ? 'idle' : '', d: path, 'vector-effect': 'non-scaling-stroke' }),
  );
}

/** Messages due by bucket of time: overdue ones, the buckets, later ones. */
export function Histogram({ load, bucketMs }) {
  const top = Math.max(...load.due, 1);
  const start = new Date(load.time).getTime();
  const bars = load.due.length;
  const width = 600 / bars;
  return el.div(
    { class: 'histogram' },
    el.svg(
      { viewBox: '0 0 600 120', preserveAspectRatio: 'none', role: 'img', 'aria-label': t.load.label(load, bucketMs) },
      [30, 60, 90].map((y) => el.line({ key: y, class: 'grid', x1: 0, x2: 600, y1: y, y2: y })),
      load.due.map((n, i) => {
        const height = n === 0 ? 0 : Math.max(2, (112 * n) / top);
        const from = new Date(start + i * bucketMs).toISOString();
        const to = new Date(start + (i + 1) * bucketMs).toISOString();
        return el.g(
          { key: i },
          el.title(t.load.bar(n, time(from), time(to))),
          el.rect({ class: 'hit', x: i * width, y: 0, width, height: 120 }),
          el.rect({ class: 'column', x: i * width + width * 0.12, y: 120 - height, width: width * 0.76, height, rx: 1 }),
        );
      }),
    ),
    el.div(
      { class: 'axis', 'aria-hidden': 'true' },
      [0, 0.25, 0.5, 0.75, 1].map((share) => el.span({ key: share }, axisLabel(start + share * bars * bucketMs, bars * bucketMs))),
    ),
    el.p({ class: 'note' }, t.load.peak(count(Math.max(...load.due, 0)), count(load.overdue), count(load.later))),
  );
}

function axisLabel(at, span) {
  const date = new Date(at);
  return span > 2 * 86_400_000 ? time(date.toISOString(), new Date(0)).slice(5, 16) : clock(date).slice(0, 5);
}
