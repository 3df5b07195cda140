import { el, h } from './dom.js';
import { context } from './api.js';
import { duration, time, utc } from './format.js';
import { Link } from './router.js';
import { t } from './texts.js';

/** A time in the viewer's zone, with UTC in its tooltip and for programs. */
export function Time({ at }) {
  return at === null || at === undefined ? '–' : el.time({ datetime: at, title: utc(at) }, time(at));
}

/** A time with its distance from `now`, both by the server's clocks. */
export function Relative({ at, now }) {
  if (at === null || at === undefined) return '–';
  const distance = new Date(at) - new Date(now);
  const words = Math.abs(distance) < 1000 ? t.now : (distance > 0 ? t.inFuture : t.ago)(duration(distance));
  return el.span({ class: 'relative' }, h(Time, { at }), ' ', el.span({ class: 'muted' }, words));
}

/** Text that somebody else wrote: isolated, so that right-to-left text leaves its surroundings alone. */
export function Foreign({ text, ...attributes }) {
  return el.bdi({ class: 'foreign', ...attributes }, text);
}

export function TopicLink({ topic }) {
  return h(Link, { view: 'topic', parameters: { topic } }, h(Foreign, { text: topic }));
}

export function MessageLink({ topic, id }) {
  return h(Link, { view: 'message', parameters: { topic, id }, class: 'message-id' }, h(Foreign, { text: id }));
}

/** A part of a page with its heading. */
export function Section({ id, heading, tools, children, class: name = '' }) {
  return el.section(
    { class: `card ${name}`, 'aria-labelledby': id },
    el.div({ class: 'card-head' }, el.h2({ id }, heading), tools ? el.div({ class: 'tools' }, tools) : null),
    children,
  );
}

export function State({ state }) {
  const name = { SCHEDULED: 'scheduled', READY: 'ready', IN_FLIGHT: 'inFlight', DEAD: 'dead' }[state];
  return el.span({ class: `state ${name}` }, t.stateOf[state] ?? state);
}

/**
 * A table that becomes a list of cards on a narrow screen. A column has a key, a heading, a cell, and whether it is a number; the
 * roles are named since a changed display would take them from some browsers.
 */
export function Table({ columns, rows, keyOf, label, list }) {
  return el.div(
    { class: 'table-box', ref: list, tabindex: -1, role: 'group', 'aria-label': label },
    el.table(
      { role: 'table', 'aria-label': label },
      el.thead(
        { role: 'rowgroup' },
        el.tr(
          { role: 'row' },
          columns.map((column) =>
            el.th({ key: column.key, role: 'columnheader', scope: 'col', class: column.number ? 'number' : column.class ?? '', 'aria-sort': column.sorted }, column.heading),
          ),
        ),
      ),
      el.tbody(
        { role: 'rowgroup' },
        rows.map((row) =>
          el.tr(
            { role: 'row', key: keyOf(row), class: row.gone ? 'gone' : '' },
            columns.map((column, i) =>
              el.td(
                { key: column.key, role: i === 0 ? 'rowheader' : 'cell', class: column.number ? 'number' : column.class ?? '', 'data-label': column.label ?? column.heading },
                column.cell(row),
                i === 0 && row.gone ? el.span({ class: 'tag' }, t.topic.gone) : null,
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Says how many rows wait, and shows them on request. */
export function NewRows({ held }) {
  return el.span(
    { 'aria-live': 'polite' },
    held.waiting > 0 ? el.button({ type: 'button', class: 'quiet', onClick: held.showNew }, t.topic.newRows(held.waiting)) : null,
  );
}

/** Why there are no buttons; null if there are. */
export function ReadOnly() {
  if (!context.writeEnabled) return el.p({ class: 'note read-only' }, t.readOnly.disabled);
  if (!context.secure) return el.p({ class: 'note read-only' }, t.readOnly.insecure);
  if (!context.may('OPERATE') && !context.may('PURGE')) return el.p({ class: 'note read-only' }, t.readOnly.rights);
  return null;
}

export function may(operation) {
  return context.writeEnabled && context.secure && context.may(operation.startsWith('PURGE') ? 'PURGE' : 'OPERATE');
}
