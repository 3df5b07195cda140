import { el, h, useEffect, useRef, useState } from './dom.js';
import { query } from './api.js';
import { Sparkline, StateBar } from './charts.js';
import { count, duration, rate } from './format.js';
import { useHeld, useLive } from './live.js';
import { NewRows, Section, Table, TopicLink } from './parts.js';
import { go } from './router.js';
import { t } from './texts.js';

const PAGE = 50;
const ORDERS = ['attention', 'name', 'scheduled', 'ready', 'inFlight', 'dead', 'rate', 'lateness'];
const TYPING_PAUSE = 250;

/** One sentence about what needs attention. */
export function attentionText(item, asOf) {
  const ago = duration(item.since === null ? null : new Date(asOf) - new Date(item.since));
  return (t.attention[item.kind] ?? t.attention.other)(item, ago);
}

const SEVERE = ['overdue', 'unaccounted', 'listenerUnhealthy', 'listenerStopped', 'leasesExpired'];

/** The sentences on what needs attention, worst first. */
export function Attention({ items, asOf, withTopic }) {
  return el.ul(
    { class: 'attention' },
    items.map((item) =>
      el.li(
        { key: `${item.kind} ${item.topic} ${item.listener}`, class: SEVERE.includes(item.kind) ? 'severe' : 'mild' },
        withTopic ? [h(TopicLink, { topic: item.topic }), ': '] : null,
        el.span(attentionText(item, asOf)),
      ),
    ),
  );
}

function Tile({ state, value, note }) {
  return el.div(
    { class: `tile ${state}` },
    el.dt({ title: t.stateHelp[state] }, t.states[state]),
    el.dd(count(value), note ? el.small(note) : null),
  );
}

/** The four numbers of a topic, or of all. */
export function Tiles({ numbers, notes = {}, label }) {
  return el.dl(
    { class: 'tiles', 'aria-label': label },
    ['scheduled', 'ready', 'inFlight', 'dead'].map((state) => h(Tile, { key: state, state, value: numbers[state], note: notes[state] })),
  );
}

function sortedBy(sort, key) {
  if (sort === key) return key === 'name' ? 'ascending' : 'descending';
  if (sort === `-${key}`) return key === 'name' ? 'descending' : 'ascending';
  return undefined;
}

function columns(sort, order) {
  const sortable = (key, heading) => ({
    key,
    heading: el.button({ type: 'button', class: 'sort', onClick: () => order(sort === key ? `-${key}` : key) }, heading),
    label: heading,
    sorted: sortedBy(sort, key),
  });
  const number = (key) => ({ ...sortable(key, t.overview.columns[key]), number: true, cell: (row) => count(row[key]) });
  return [
    {
      ...sortable('name', t.overview.columns.name),
      class: 'topic-name',
      cell: (row) => [h(TopicLink, { topic: row.topic }), row.paused ? el.span({ class: 'tag' }, t.overview.paused) : null],
    },
    { key: 'bar', heading: t.overview.columns.bar, class: 'bar', cell: (row) => h(StateBar, { counts: row, label: t.stateBar(row) }) },
    number('scheduled'),
    { ...number('ready'), cell: (row) => el.span({ class: row.latenessMillis > 10_000 && !row.paused ? 'hot' : '' }, count(row.ready)) },
    number('inFlight'),
    { ...number('dead'), cell: (row) => el.span({ class: row.dead > 0 ? 'bad' : '' }, count(row.dead)) },
    {
      ...sortable('rate', t.overview.columns.rate),
      class: 'trend',
      cell: (row) =>
        el.span({ class: 'spark' }, h(Sparkline, { values: row.rate, kind: 'rate', label: t.overview.rateLine(row.ratePerSecond) }), el.span({ class: 'value' }, rate(row.ratePerSecond))),
    },
    {
      ...sortable('lateness', t.overview.columns.lateness),
      class: 'trend',
      cell: (row) =>
        el.span(
          { class: 'spark' },
          h(Sparkline, { values: row.lateness, kind: 'lateness', label: t.overview.latenessLine(row.latenessMillis) }),
          el.span({ class: 'value' }, row.ready === 0 ? '–' : duration(row.latenessMillis)),
        ),
    },
  ];
}

/** All topics, and what needs attention. */
export function Overview({ parameters, report }) {
  const sort = parameters.sort ?? 'attention';
  const offset = Number(parameters.offset ?? 0) || 0;
  const [typed, setTyped] = useState(parameters.q ?? '');
  const typing = useRef(null);
  const { data, answered } = useLive(`overview${query({ q: parameters.q, sort, offset, limit: PAGE })}`, report);
  const change = (changes) => go('overview', { ...parameters, offset: undefined, ...changes }, { replace: true });
  useEffect(() => setTyped(parameters.q ?? ''), [parameters.q]);
  function type(event) {
    const { value } = event.target;
    setTyped(value);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => change({ q: value || undefined }), TYPING_PAUSE);
  }
  useEffect(() => () => clearTimeout(typing.current), []);
  return [
    el.h1({ tabindex: -1, class: 'hidden' }, t.overview.heading),
    data === null ? el.p({ class: 'note' }, t.live.loading) : h(Summary, { data }),
    h(
      Section,
      {
        id: 'topics',
        heading: t.overview.heading,
        tools: [
          el.input({ key: 'filter', type: 'search', value: typed, onInput: type, 'aria-label': t.overview.filter, placeholder: t.overview.filterPlaceholder, autocomplete: 'off' }),
          el.label(
            { key: 'sort', class: 'inline' },
            el.span(t.overview.sort),
            el.select(
              { value: sort.replace('-', ''), onChange: (event) => change({ sort: event.target.value }) },
              ORDERS.map((order) => el.option({ key: order, value: order, selected: order === sort.replace('-', '') }, t.overview.orders[order])),
            ),
          ),
        ],
      },
      data === null ? null : h(Topics, { data, answered, sort, offset, change }),
    ),
  ];
}

function Summary({ data }) {
  return [
    h(Tiles, { numbers: data.sum, label: t.overview.sum, notes: { inFlight: data.sum.ratePerSecond === null ? null : t.overview.handled(data.sum.ratePerSecond) } }),
    h(
      Section,
      { id: 'attention', heading: t.overview.attention, class: data.attention.length === 0 ? 'calm' : '' },
      data.attention.length === 0 ? el.p({ class: 'note good' }, t.overview.calm) : h(Attention, { items: data.attention, asOf: data.asOf, withTopic: true }),
      data.attentionTotal > data.attention.length ? el.p({ class: 'note' }, t.overview.moreAttention(data.attentionTotal - data.attention.length)) : null,
      data.missingTotal > 0 ? el.p({ class: 'note bad' }, t.live.missing(data.missing, data.missingTotal)) : null,
    ),
  ];
}

function Topics({ data, answered, sort, offset, change }) {
  const held = useHeld(data.topics, (row) => row.topic, answered);
  if (data.topics.length === 0 && held.shown.length === 0) {
    return el.p({ class: 'note', role: 'status' }, data.total === 0 ? t.overview.none : t.overview.noMatch);
  }
  return [
    h(Table, { columns: columns(sort, (order) => change({ sort: order })), rows: held.shown, keyOf: (row) => row.topic, label: t.overview.heading, list: held.list }),
    el.nav(
      { class: 'pages', 'aria-label': t.overview.pages },
      offset > 0 ? el.button({ type: 'button', onClick: () => change({ offset: Math.max(0, offset - PAGE) || undefined }) }, t.overview.previous) : null,
      el.span({ class: 'note', role: 'status' }, t.overview.shown(offset + 1, offset + data.topics.length, data.matching, data.total)),
      h(NewRows, { held }),
      offset + PAGE < data.matching ? el.button({ type: 'button', onClick: () => change({ offset: offset + PAGE }) }, t.overview.next) : null,
    ),
  ];
}
