import { el, h, useEffect, useState } from './dom.js';
import { get, query } from './api.js';
import { Foreign, MessageLink, Section, State, Table, Time, TopicLink } from './parts.js';
import { t } from './texts.js';

/** Messages of any topic that have an id. Looked up once: a search reads from every topic. */
export function Search({ parameters, report }) {
  const { id } = parameters;
  const [result, setResult] = useState(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    setResult(null);
    setFailed(false);
    if (!id) return undefined;
    const search = new AbortController();
    get(`search${query({ id })}`, search.signal).then(
      (found) => {
        setResult(found);
        report({ asOf: found.asOf, failure: null });
      },
      (failure) => {
        if (search.signal.aborted) return;
        setFailed(true);
        report({ failure });
      },
    );
    return () => search.abort();
  }, [id]);
  return [
    el.h1({ tabindex: -1 }, h(Foreign, { text: id ? t.search.heading(id) : t.search.label })),
    el.div({ 'aria-live': 'polite' }, h(Outcome, { id, result, failed })),
  ];
}

function Outcome({ id, result, failed }) {
  if (!id) return el.p(t.search.empty);
  if (result !== null) return h(Found, { id, result });
  return el.p({ class: 'note' }, failed ? t.search.failed : t.live.loading);
}

function Found({ id, result }) {
  return h(
    Section,
    { id: 'found', heading: t.search.found(result.found.length) },
    result.found.length === 0
      ? el.p(t.search.none)
      : h(Table, {
          label: t.search.heading(id),
          rows: result.found,
          keyOf: (row) => row.topic,
          columns: [
            { key: 'id', heading: t.columns.id, cell: (row) => h(MessageLink, { topic: row.topic, id }) },
            { key: 'topic', heading: t.columns.topic, cell: (row) => h(TopicLink, { topic: row.topic }) },
            { key: 'state', heading: t.columns.state, cell: (row) => h(State, { state: row.state }) },
            { key: 'due', heading: t.columns.due, cell: (row) => h(Time, { at: row.due }) },
          ],
        }),
    el.p({ class: 'note' }, t.search.looked(result.searched, result.total)),
    result.missingTotal > 0 ? el.p({ class: 'bad' }, t.search.missing(result.missing, result.missingTotal)) : null,
  );
}
