import { el, h } from './dom.js';
import { count } from './format.js';
import { Jobs } from './jobs.js';
import { useHeld, useLive } from './live.js';
import { Foreign, MessageLink, NewRows, Section, Table, Time, TopicLink } from './parts.js';
import { t } from './texts.js';

/** Jobs, and what was changed through this instance. */
export function Activity({ report, ask }) {
  const { data, refresh } = useLive('activity', report);
  return [
    el.h1({ tabindex: -1 }, t.nav.activity),
    data === null
      ? el.p({ class: 'note' }, t.live.loading)
      : [
          h(
            Section,
            { id: 'jobs', heading: t.jobs.heading },
            el.p({ class: 'note' }, t.jobs.note),
            data.jobs.length === 0 ? el.p({ class: 'note' }, t.jobs.none) : h(Jobs, { jobs: data.jobs, now: data.asOf, ask: (request) => ask(request, refresh) }),
          ),
          h(Audit, { events: data.events }),
        ],
  ];
}

function Audit({ events }) {
  const held = useHeld(events, (event) => event.number);
  return h(
    Section,
    { id: 'audit', heading: t.audit.heading, tools: h(NewRows, { held }) },
    el.p({ class: 'note' }, t.audit.note),
    held.shown.length === 0
      ? el.p({ class: 'note' }, t.audit.none)
      : h(Table, {
          label: t.audit.heading,
          list: held.list,
          rows: held.shown,
          keyOf: (event) => event.number,
          columns: [
            { key: 'time', heading: t.columns.time, cell: (event) => h(Time, { at: event.time }) },
            { key: 'user', heading: t.columns.user, cell: (event) => h(Foreign, { text: event.caller }) },
            { key: 'action', heading: t.columns.action, cell: (event) => [t.operations[event.operation] ?? event.operation, ' ', el.span({ class: 'muted' }, t.audit.steps[event.step] ?? '')] },
            { key: 'topic', heading: t.columns.topic, cell: (event) => h(TopicLink, { topic: event.topic }) },
            {
              key: 'id',
              heading: t.columns.id,
              cell: (event) => (event.ids.length === 0 ? '–' : event.ids.map((id) => el.span({ key: id, class: 'listed' }, h(MessageLink, { topic: event.topic, id })))),
            },
            { key: 'count', heading: t.columns.count, number: true, cell: (event) => count(event.count) },
            {
              key: 'outcome',
              heading: t.columns.outcome,
              cell: (event) => [t.audit.outcomes[event.outcome] ?? event.outcome, event.error === null ? null : [' ', h(Foreign, { class: 'bad', text: event.error })]],
            },
          ],
        }),
  );
}
