import { el, h, useRef } from './dom.js';
import { query } from './api.js';
import { Histogram, Sparkline } from './charts.js';
import { bytes, clock, count, duration, rate } from './format.js';
import { Jobs } from './jobs.js';
import { useHeld, useLive } from './live.js';
import { Attention, Tiles } from './overview.js';
import { Foreign, may, MessageLink, NewRows, ReadOnly, Relative, Section, State, Table } from './parts.js';
import { go } from './router.js';
import { t } from './texts.js';

const SPANS = {
  hour: { bucketMillis: 60_000, buckets: 60 },
  day: { bucketMillis: 900_000, buckets: 96 },
  month: { bucketMillis: 86_400_000, buckets: 30 },
};

const PAGE = 20;

/** One topic: its numbers, what comes, what is under way, and its dead letters. Once it is deleted, as it was last seen. */
export function Topic({ parameters, report, ask }) {
  const { topic } = parameters;
  const span = SPANS[parameters.span] ? parameters.span : 'hour';
  const deadOffset = Number(parameters.dead ?? 0) || 0;
  const { data, failure, answered, refresh } = useLive(
    `topic${query({ topic, ...SPANS[span], pendingAfter: parameters.after, deadOffset: deadOffset || undefined, pendingLimit: PAGE, inFlightLimit: PAGE, deadLimit: PAGE })}`,
    report,
  );
  // a later failure says nothing new of it
  const wasGone = useRef(false);
  if (failure?.kind === 'missing') wasGone.current = true;
  if (failure === null && data !== null) wasGone.current = false;
  const gone = wasGone.current;
  const change = (changes) => go('topic', { ...parameters, ...changes }, { replace: true });
  const heading = el.h1({ tabindex: -1 }, h(Foreign, { text: topic }));
  if (data === null) {
    return [heading, el.p({ class: 'note', role: 'status' }, gone ? t.notFound.topic(topic) : failure ? '' : t.live.loading)];
  }
  const { stats, failed = {} } = data;
  const askHere = (request) => ask({ topic, ...request }, refresh);
  // nothing can be done to a topic that is gone; its jobs go on
  const allows = (operation) => !gone && may(operation);
  const why = (part) => (failed[part] ? el.p({ class: 'bad' }, t.live.part(part, failed[part])) : null);
  return [
    el.div({ class: 'page-head' }, heading, stats ? h(PauseButton, { stats, allows, ask: askHere }) : null),
    gone ? el.p({ class: 'banner', role: 'status' }, t.topic.goneNow) : null,
    h(ReadOnly),
    why('stats'),
    stats?.paused && !gone ? el.p({ class: 'banner' }, t.topic.paused) : null,
    data.history?.attention.length > 0 && !gone ? h(Attention, { items: data.history.attention, asOf: data.asOf, withTopic: false }) : null,
    stats ? h(Numbers, { stats }) : null,
    data.jobs?.length > 0 ? h(Section, { id: 'jobs', heading: t.jobs.heading }, h(Jobs, { jobs: data.jobs.slice(0, 5), now: data.asOf, ask: askHere })) : null,
    el.div(
      { class: 'columns' },
      h(
        Section,
        {
          id: 'load',
          heading: t.load.heading,
          tools: el.div(
            { class: 'choice', role: 'group', 'aria-label': t.load.spanLabel },
            Object.keys(SPANS).map((name) =>
              el.button({ key: name, type: 'button', 'aria-pressed': String(name === span), onClick: () => change({ span: name }) }, t.load.spans[name]),
            ),
          ),
        },
        data.load ? h(Histogram, { load: data.load, bucketMs: data.load.bucketMillis }) : null,
        why('load'),
      ),
      h(Section, { id: 'trends', heading: t.topic.trends, class: 'trends' }, data.history ? h(Trends, { history: data.history, stats }) : null, why('history')),
    ),
    h(Errors, { data, stats, allows, ask: askHere, why: why('errors') }),
    data.dead && (stats?.dead > 0 || deadOffset > 0) ? h(Dead, { topic, data, all: stats?.dead, answered, offset: deadOffset, change }) : null,
    why('dead'),
    h(Pending, { topic, data, answered, after: parameters.after, change, allows, ask: askHere, why: why('pending') }),
    h(InFlight, { topic, data, why: why('inFlight') }),
    h(Listeners, { listeners: data.listeners ?? [], why: why('listeners') }),
    stats ? h(Section, { id: 'totals', heading: t.topic.totals }, h(Totals, { totals: stats.totals })) : null,
  ];
}

function PauseButton({ stats, allows, ask }) {
  const operation = stats.paused ? 'RESUME' : 'PAUSE';
  return allows(operation)
    ? el.button({ type: 'button', onClick: () => ask({ kind: 'operation', operation, stats }) }, stats.paused ? t.topic.resume : t.topic.pause)
    : null;
}

function Numbers({ stats }) {
  const until = stats.nextDue === null ? null : new Date(stats.nextDue) - new Date(stats.time);
  return h(Tiles, {
    numbers: stats,
    label: stats.topic,
    notes: {
      ready: stats.ready > 0 ? t.topic.latenessNow(duration(stats.latenessMillis)) : null,
      scheduled: until === null ? null : t.topic.nextDue(duration(Math.max(0, until))),
    },
  });
}

function Trends({ history, stats }) {
  const rateNow = history.rate.at(-1) ?? null;
  const late = stats?.latenessMillis ?? history.lateness.at(-1) ?? null;
  return el.dl(
    el.dt(t.topic.rate),
    el.dd(el.span({ class: 'big' }, rateNow === null ? t.topic.noRate : rate(rateNow)), h(Sparkline, { values: history.rate, kind: 'rate', label: t.overview.rateLine(rateNow) })),
    el.dt(t.topic.lateness),
    el.dd(el.span({ class: 'big' }, late === 0 ? t.topic.onTime : duration(late)), h(Sparkline, { values: history.lateness, kind: 'lateness', label: t.overview.latenessLine(late) })),
  );
}

function Errors({ data, stats, allows, ask, why }) {
  const { errors } = data;
  if (why === null && (!errors || errors.groups.length === 0)) return null;
  const bulk = (operation, label, extra = {}, about = undefined) =>
    allows(operation)
      ? el.button({ key: operation, type: 'button', class: operation === 'REDRIVE' ? '' : 'danger-quiet', 'aria-label': about, onClick: () => ask({ kind: 'plan', operation, ...extra }) }, label)
      : null;
  const text = (group) => group.error ?? t.topic.hidden;
  return h(
    Section,
    { id: 'errors', heading: t.topic.errors, tools: [bulk('REDRIVE', t.topic.redriveAll), bulk('PURGE_DEAD_LETTERS', t.topic.purgeAll)] },
    why,
    errors ? el.p({ class: 'note' }, t.topic.examined(errors.examined, stats?.dead ?? errors.examined, clock(new Date(errors.asOf)))) : null,
    errors
      ? h(HeldTable, {
          rows: errors.groups,
          keyOf: (group) => group.id,
          label: t.topic.errors,
          columns: [
            { key: 'error', heading: t.columns.error, class: 'error', cell: (group) => h(Foreign, { text: text(group) }) },
            { key: 'count', heading: t.columns.count, number: true, cell: (group) => count(group.count) },
            { key: 'sample', heading: t.topic.sample, cell: (group) => [h(MessageLink, { topic: data.topic, id: group.sample }), ' ', h(Relative, { at: group.latest, now: data.asOf })] },
            {
              key: 'actions',
              heading: t.columns.actions,
              class: 'actions',
              cell: (group) => [
                bulk('REDRIVE', t.topic.redriveGroup, { errorGroup: group.id, error: text(group) }, t.topic.redriveGroupLabel(text(group))),
                bulk('PURGE_DEAD_LETTERS', t.topic.purgeGroup, { errorGroup: group.id, error: text(group) }, t.topic.purgeGroupLabel(text(group))),
              ],
            },
          ].filter((column) => column.key !== 'actions' || allows('REDRIVE') || allows('PURGE_DEAD_LETTERS')),
        })
      : null,
  );
}

function HeldTable({ rows, keyOf, label, columns, answered }) {
  const held = useHeld(rows, keyOf, answered);
  return [h(Table, { columns, rows: held.shown, keyOf, label, list: held.list }), h(NewRows, { held })];
}

function Dead({ topic, data, all, answered, offset, change }) {
  const { messages, next } = data.dead;
  const isLast = next === null || next >= all;
  return h(
    Section,
    { id: 'dead', heading: t.topic.dead },
    h(HeldTable, {
      rows: messages,
      answered,
      keyOf: (row) => row.id,
      label: t.topic.dead,
      columns: [
        { key: 'id', heading: t.columns.id, cell: (row) => h(MessageLink, { topic, id: row.id }) },
        { key: 'deadSince', heading: t.columns.deadSince, cell: (row) => h(Relative, { at: row.deadLetteredAt, now: data.asOf }) },
        { key: 'attempts', heading: t.columns.attempts, number: true, cell: (row) => count(row.attempts) },
        { key: 'error', heading: t.columns.error, class: 'error', cell: (row) => (row.error === null ? t.topic.hidden : h(Foreign, { text: row.error })) },
      ],
    }),
    h(Pages, {
      label: t.topic.dead,
      first: offset > 0 ? () => change({ dead: undefined }) : null,
      next: isLast ? null : () => change({ dead: next }),
    }),
  );
}

function Pages({ label, first, next }) {
  if (first === null && next === null) return null;
  return el.nav(
    { class: 'pages', 'aria-label': t.topic.pagesOf(label) },
    first ? el.button({ type: 'button', onClick: first }, t.topic.newest) : null,
    next ? el.button({ type: 'button', onClick: next }, t.topic.older) : null,
  );
}

function Pending({ topic, data, answered, after, change, allows, ask, why }) {
  const messages = data.pending?.messages ?? [];
  return h(
    Section,
    {
      id: 'pending',
      heading: t.topic.pending,
      tools: allows('PURGE_PENDING') && messages.length > 0
        ? el.button({ type: 'button', class: 'danger-quiet', onClick: () => ask({ kind: 'plan', operation: 'PURGE_PENDING' }) }, t.topic.purgePending)
        : null,
    },
    why,
    data.pending && messages.length === 0
      ? el.p({ class: 'note' }, t.topic.pendingNone)
      : h(HeldTable, {
          rows: messages,
          answered,
          keyOf: (row) => row.id,
          label: t.topic.pending,
          columns: [
            { key: 'id', heading: t.columns.id, cell: (row) => h(MessageLink, { topic, id: row.id }) },
            { key: 'state', heading: t.columns.state, cell: (row) => h(State, { state: row.state }) },
            { key: 'due', heading: t.columns.due, cell: (row) => h(Relative, { at: row.due, now: data.asOf }) },
            { key: 'attempts', heading: t.columns.attempts, number: true, cell: (row) => count(row.attempts) },
            { key: 'priority', heading: t.columns.priority, number: true, cell: (row) => count(row.priority) },
            { key: 'size', heading: t.columns.size, number: true, cell: (row) => bytes(row.bytes) },
          ],
        }),
    h(Pages, {
      label: t.topic.pending,
      first: after ? () => change({ after: undefined }) : null,
      next: data.pending?.next ? () => change({ after: data.pending.next }) : null,
    }),
  );
}

function InFlight({ topic, data, why }) {
  const { messages = [], holders = [], total = 0 } = data.inFlight ?? {};
  const name = (holder) => (holder === null ? t.topic.unknownHolder : h(Foreign, { text: holder }));
  return h(
    Section,
    { id: 'in-flight', heading: t.topic.inFlight },
    why,
    messages.length === 0 && why === null ? el.p({ class: 'note' }, t.topic.inFlightNone) : null,
    holders.length > 0
      ? el.ul(
          { class: 'holders', 'aria-label': t.topic.holders },
          holders.map((holder) =>
            el.li({ key: holder.holder }, name(holder.holder), ' ', el.strong(t.topic.holder(holder)), ' ', holder.since ? h(Relative, { at: holder.since, now: data.asOf }) : null),
          ),
        )
      : null,
    messages.length > 0
      ? h(HeldTable, {
          rows: messages,
          keyOf: (row) => row.id,
          label: t.topic.inFlight,
          columns: [
            { key: 'id', heading: t.columns.id, cell: (row) => h(MessageLink, { topic, id: row.id }) },
            { key: 'holder', heading: t.columns.holder, cell: (row) => name(row.holder) },
            { key: 'since', heading: t.columns.since, cell: (row) => (row.leasedSince ? h(Relative, { at: row.leasedSince, now: data.asOf }) : '–') },
            { key: 'lease', heading: t.columns.lease, cell: (row) => h(Relative, { at: row.leaseDeadline, now: data.asOf }) },
            { key: 'attempt', heading: t.columns.attempt, number: true, cell: (row) => count(row.attempt) },
          ],
        })
      : null,
    messages.length >= PAGE && messages.length < total ? el.p({ class: 'note' }, t.topic.inFlightShown(messages.length, total)) : null,
  );
}

function Listeners({ listeners, why }) {
  const status = (listener) => {
    if (!listener.running) return 'stopped';
    if (!listener.healthy) return 'unhealthy';
    return listener.paused ? 'paused' : 'running';
  };
  return h(
    Section,
    { id: 'listeners', heading: t.topic.listeners },
    why,
    listeners.length === 0
      ? el.p({ class: 'note' }, t.topic.listenersNone)
      : h(HeldTable, {
          rows: listeners,
          keyOf: (row) => row.id,
          label: t.topic.listeners,
          columns: [
            { key: 'id', heading: t.columns.listener, class: 'listener', cell: (row) => h(Foreign, { text: row.id }) },
            { key: 'status', heading: t.columns.status, cell: (row) => el.span({ class: `tag ${status(row)}` }, t.listener[status(row)]) },
            { key: 'busy', heading: t.columns.busy, cell: (row) => t.listener.busy(row) },
            { key: 'settings', heading: t.columns.settings, class: 'settings', cell: (row) => t.listener.settings(row) },
          ],
        }),
  );
}

function Totals({ totals }) {
  return el.dl(
    { class: 'totals' },
    Object.keys(t.totals).map((name) => el.div({ key: name }, el.dt(t.totals[name]), el.dd(count(totals[name])))),
  );
}
