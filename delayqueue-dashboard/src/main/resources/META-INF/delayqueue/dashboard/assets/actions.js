import { el, h, useEffect, useLayoutEffect, useRef, useState } from './dom.js';
import { post } from './api.js';
import { localInput } from './format.js';
import { Foreign, Time } from './parts.js';
import { t } from './texts.js';

const MAX_RATE = 100_000;
const BULK = ['REDRIVE', 'PURGE_DEAD_LETTERS', 'PURGE_PENDING'];

/** A modal question. It can't be closed while the answer is being carried out. */
function Dialog({ title, busy, onClose, children }) {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    const node = dialog.current;
    node.showModal();
    return () => {
      // gives the focus back to what was used to ask, unless a refresh has taken that away
      node.close();
      if (document.activeElement === document.body) document.querySelector('h1')?.focus();
    };
  }, []);
  return el.dialog(
    {
      ref: dialog,
      'aria-labelledby': 'dialog-title',
      onCancel: (event) => {
        event.preventDefault();
        if (!busy) onClose();
      },
    },
    el.h2({ id: 'dialog-title' }, h(Foreign, { text: title })),
    children,
  );
}

function words(failure) {
  if (failure.kind === 'server' || failure.kind === 'redis') return t.dialog.unsure;
  if (failure.kind === 'login') return t.dialog.failed(t.live.login);
  return t.dialog.failed([failure.title, failure.detail].filter(Boolean).join(': '));
}

/** A plan changes nothing, so nothing is unsure. */
function noPlan(failure) {
  const unanswered = failure.kind === 'server' || failure.kind === 'redis';
  return unanswered ? t.dialog.failed(failure.title || t.live.serverDown) : words(failure);
}

/** The buttons of a question, what went wrong, and what to do with the answer. */
function Answer({ confirm, danger, ready, onClose, busy, problem }) {
  return [
    el.p({ role: 'alert', class: 'problem' }, problem ?? ''),
    el.div(
      { class: 'buttons' },
      el.button({ type: 'button', onClick: onClose, disabled: busy, autofocus: true }, ready ? t.dialog.dismiss : t.dialog.close),
      ready
        ? el.button({ type: 'submit', class: danger ? 'danger' : 'primary', disabled: busy }, busy ? t.dialog.working : confirm)
        : null,
    ),
  ];
}

function useAnswer(onDone) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  async function run(action) {
    setBusy(true);
    setProblem(null);
    try {
      onDone(await action());
    } catch (failure) {
      setProblem(words(failure));
      setBusy(false);
    }
  }
  return { busy, problem, setProblem, run };
}

/** Changes one message or one topic. */
function OperationDialog({ request, onDone, onClose }) {
  const { operation, topic, id, stats } = request;
  const text = t.dialog[operation];
  const answer = useAnswer(onDone);
  const [due, setDue] = useState(() => localInput(new Date(Date.now() + 3_600_000)));
  function confirm(event) {
    event.preventDefault();
    const instant = new Date(due);
    if (operation === 'RESCHEDULE' && Number.isNaN(instant.getTime())) {
      answer.setProblem(t.dialog.dueWrong);
      return;
    }
    answer.run(async () => {
      const body = { operation, topic };
      if (id !== undefined) Object.assign(body, BULK.includes(operation) ? { ids: [id] } : { id });
      if (operation === 'RESCHEDULE') body.due = instant.toISOString();
      const result = await post('operation', body);
      if (result.outcome !== 'DONE') return t.result[result.outcome] ?? result.outcome;
      return id !== undefined && result.count === 0 ? t.result.nothing : t.result[operation](id ?? topic);
    });
  }
  return h(
    Dialog,
    { title: text.title(id ?? topic), busy: answer.busy, onClose },
    el.form(
      { onSubmit: confirm, novalidate: true },
      el.p(text.text(stats)),
      operation === 'RESCHEDULE'
        ? el.label(t.dialog.due, el.input({ type: 'datetime-local', step: 1, value: due, onInput: (event) => setDue(event.target.value) }))
        : null,
      h(Answer, { ...answer, confirm: text.confirm, danger: operation === 'CANCEL' || operation.startsWith('PURGE'), ready: true, onClose }),
    ),
  );
}

/** Changes many messages: counts them first. */
function PlanDialog({ request, onDone, onClose }) {
  const { operation, topic, errorGroup, error } = request;
  const [plan, setPlan] = useState(null);
  const [rate, setRate] = useState('');
  const answer = useAnswer(onDone);
  useEffect(() => {
    let closed = false;
    post('plan', { operation, topic, ...(errorGroup ? { errorGroup } : {}) }).then(
      (made) => closed || setPlan(made),
      (failure) => closed || answer.setProblem(noPlan(failure)),
    );
    return () => {
      closed = true;
    };
  }, []);
  function confirm(event) {
    event.preventDefault();
    const perSecond = rate.trim() === '' ? null : Number(rate);
    if (perSecond !== null && !(Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= MAX_RATE)) {
      answer.setProblem(t.dialog.rateWrong);
      return;
    }
    answer.run(async () => {
      const job = await post('start', { token: plan.token, ...(perSecond === null ? {} : { ratePerSecond: perSecond }) });
      return t.plan.started(job);
    });
  }
  const ready = plan !== null && plan.count > 0;
  return h(
    Dialog,
    { title: t.plan.title[operation](topic), busy: answer.busy, onClose },
    el.form(
      { onSubmit: confirm, novalidate: true },
      el.div({ 'aria-live': 'polite' }, plan === null ? (answer.problem ? null : el.p(t.dialog.counting)) : h(PlanText, { plan, error })),
      ready
        ? el.label(
            t.dialog.rate,
            el.input({ type: 'text', inputmode: 'numeric', value: rate, 'aria-describedby': 'rate-help', onInput: (event) => setRate(event.target.value) }),
            el.span({ id: 'rate-help', class: 'note' }, t.dialog.rateHelp),
          )
        : null,
      h(Answer, { ...answer, confirm: ready ? t.plan.confirm[operation](plan.count) : '', danger: operation !== 'REDRIVE', ready, onClose }),
    ),
  );
}

function PlanText({ plan, error }) {
  if (plan.count === 0) return el.p(t.plan.nothing);
  return [
    el.p({ class: 'plan' }, t.plan.text[plan.operation](plan.count)),
    plan.count < plan.matching ? el.p(t.plan.bounded(plan.count, plan.matching)) : null,
    error ? el.p({ class: 'note' }, t.plan.group, h(Foreign, { text: error })) : null,
    el.p(
      { class: 'note' },
      plan.operation === 'PURGE_PENDING' || !plan.until ? t.plan.laterPending : [t.plan.laterBefore, h(Time, { at: plan.until }), t.plan.laterAfter],
    ),
  ];
}

/** Stops a job. */
function StopDialog({ request, onDone, onClose }) {
  const { job } = request;
  const answer = useAnswer(onDone);
  function confirm(event) {
    event.preventDefault();
    answer.run(async () => t.jobs.stopped(await post('stop', { token: job.token })));
  }
  return h(
    Dialog,
    { title: t.jobs.stopTitle(job), busy: answer.busy, onClose },
    el.form(
      { onSubmit: confirm, novalidate: true },
      el.p(t.jobs.stopText(job)),
      h(Answer, { ...answer, confirm: t.jobs.stopConfirm, danger: true, ready: true, onClose }),
    ),
  );
}

/** Asks before anything is changed, and says what will happen to how many. */
export function Confirmation({ request, onDone, onClose }) {
  const dialog = { operation: OperationDialog, plan: PlanDialog, stop: StopDialog }[request.kind];
  return h(dialog, { request, onDone, onClose });
}
