import { el, h, useEffect, useRef, useState } from './dom.js';
import { context, get, query, rawAddress } from './api.js';
import { bytes, count, duration, utc } from './format.js';
import { useLive } from './live.js';
import { Foreign, may, ReadOnly, Relative, Section, State, Time, TopicLink } from './parts.js';
import { t } from './texts.js';

const ACTIONS = {
  SCHEDULED: ['RUN_NOW', 'RESCHEDULE', 'CANCEL', 'PURGE_PENDING'],
  READY: ['RESCHEDULE', 'CANCEL', 'PURGE_PENDING'],
  IN_FLIGHT: [],
  DEAD: ['REDRIVE', 'RESCHEDULE', 'PURGE_DEAD_LETTERS'],
};

/** One message: its state, what it carries, and what happened to it. */
export function Message({ parameters, report, ask }) {
  const { topic, id } = parameters;
  const { data, failure, refresh } = useLive(`message${query({ topic, id })}`, report);
  const last = useRef(null);
  if (data?.message) last.current = data.message;
  // a later failure says nothing new of it
  const wasGone = useRef(false);
  if (failure?.kind === 'missing') wasGone.current = true;
  if (failure === null && data !== null) wasGone.current = data.message === null;
  const gone = wasGone.current;
  const message = last.current;
  return [
    el.p({ class: 'crumbs' }, h(TopicLink, { topic })),
    el.div(
      { class: 'page-head' },
      el.h1({ tabindex: -1 }, h(Foreign, { text: id })),
      message && !gone ? el.span({ role: 'status' }, h(State, { state: message.state })) : null,
    ),
    gone ? el.p({ class: 'banner', role: 'status' }, message ? t.message.goneNow : t.message.gone) : null,
    data === null && failure === null ? el.p({ class: 'note' }, t.live.loading) : null,
    message ? h(ReadOnly) : null,
    message && !gone ? h(Actions, { topic, id, message, ask: (request) => ask(request, refresh) }) : null,
    message ? h(Facts, { message, now: data?.asOf ?? message.time }) : null,
    message ? h(Payload, { topic, id, message }) : null,
    message ? h(Headers, { message }) : null,
    data?.story || data?.storyProblem ? h(Story, { data }) : null,
  ];
}

function Actions({ topic, id, message, ask }) {
  const operations = ACTIONS[message.state].filter(may);
  if (operations.length === 0) return null;
  return el.div(
    { class: 'buttons start' },
    operations.map((operation) =>
      el.button(
        {
          key: operation,
          type: 'button',
          class: operation === 'CANCEL' || operation.startsWith('PURGE') ? 'danger-quiet' : '',
          onClick: () => ask({ kind: 'operation', operation, topic, id }),
        },
        t.actions[operation],
      ),
    ),
  );
}

function Facts({ message, now }) {
  const both = (at) => [h(Relative, { at, now }), el.span({ class: 'note utc' }, utc(at))];
  const facts = [
    [t.message.due, message.due === null ? null : both(message.due)],
    [t.message.deadSince, message.deadLetteredAt === null ? null : both(message.deadLetteredAt)],
    [t.message.lease, message.leaseDeadline === null ? null : both(message.leaseDeadline)],
    [t.message.holder, message.holder ? h(Foreign, { text: message.holder }) : null],
    [t.message.scheduledAt, both(message.scheduledAt)],
    [t.message.attempt, t.message.attemptOf(message.attempt, message.maxAttempts)],
    [t.message.timeToLive, message.timeToLiveMillis === null ? t.message.noLimit : duration(message.timeToLiveMillis)],
    [t.message.priority, count(message.priority)],
    [t.message.size, bytes(message.payloadBytes)],
  ].filter(([, value]) => value !== null);
  return h(
    Section,
    { id: 'facts', heading: t.message.facts },
    el.dl({ class: 'facts' }, facts.map(([name, value]) => el.div({ key: name }, el.dt(name), el.dd(value)))),
    message.error === null && !message.errorHidden
      ? null
      : [
          el.h3(t.message.error),
          message.errorHidden
            ? el.p({ class: 'note' }, t.readOnly.payload)
            : el.pre({ class: 'code error', tabindex: 0, role: 'group', 'aria-label': t.message.error }, h(Foreign, { text: message.error })),
        ],
  );
}

function Payload({ topic, id, message }) {
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState(null);
  const [loading, setLoading] = useState(false);
  const region = useRef(null);
  useEffect(() => {
    if (shown !== null) region.current?.focus();
  }, [shown]);
  async function load() {
    setLoading(true);
    setProblem(null);
    try {
      setShown(await get(`payload${query({ topic, id })}`));
    } catch (failure) {
      setProblem(failure.kind === 'server' ? t.live.serverDown : [failure.title, failure.detail].filter(Boolean).join(': '));
    }
    setLoading(false);
  }
  if (!context.may('PAYLOAD')) {
    return h(Section, { id: 'payload', heading: t.message.payload }, el.p({ class: 'note' }, t.readOnly.payload));
  }
  return h(
    Section,
    {
      id: 'payload',
      heading: t.message.payload,
      tools: [
        el.button({ key: 'show', type: 'button', onClick: load, 'aria-disabled': String(loading) }, t.message.showPayload),
        el.a({ key: 'raw', class: 'button', href: rawAddress(topic, id), download: '' }, t.message.raw),
      ],
    },
    el.p({ role: 'alert', class: 'problem' }, problem ?? ''),
    shown === null ? el.p({ class: 'note' }, bytes(message.payloadBytes)) : el.p({ class: 'note' }, t.message.payloadNote(shown)),
    shown === null
      ? null
      : shown.kind === 'hidden'
        ? el.p({ class: 'note' }, t.message.payloadHidden(shown.reason))
        : el.pre({ class: 'code', ref: region, tabindex: 0, role: 'group', 'aria-label': t.message.payload }, h(Foreign, { text: shown.text })),
  );
}

function Headers({ message }) {
  const more = message.headersTotal - message.headers.length;
  return h(
    Section,
    { id: 'headers', heading: t.message.headers },
    message.headers.length === 0
      ? el.p({ class: 'note' }, t.message.noHeaders)
      : el.dl(
          { class: 'headers' },
          message.headers.map((header) =>
            el.div(
              { key: header.name },
              el.dt(h(Foreign, { text: header.name })),
              el.dd(
                header.masked ? el.span({ class: 'tag' }, t.message.masked) : h(Foreign, { text: header.value }),
                header.truncated ? el.span({ class: 'tag' }, t.message.truncated) : null,
              ),
            ),
          ),
        ),
    more > 0 ? el.p({ class: 'note' }, t.message.moreHeaders(more)) : null,
  );
}

function Story({ data }) {
  const events = data.story?.events ?? [];
  return h(
    Section,
    { id: 'story', heading: t.message.story },
    data.storyProblem ? el.p({ class: 'bad' }, data.storyProblem) : null,
    el.ol(
      { class: 'story' },
      events.map((event, i) =>
        el.li(
          { key: i },
          h(Time, { at: event.time }),
          ' ',
          el.strong(h(Foreign, { text: event.kind })),
          event.detail ? [' ', h(Foreign, { text: event.detail })] : null,
          event.instance ? [' ', el.span({ class: 'muted' }, h(Foreign, { text: t.message.instance(event.instance) }))] : null,
        ),
      ),
    ),
    data.story?.truncated ? el.p({ class: 'note' }, t.message.storyTruncated) : null,
  );
}
