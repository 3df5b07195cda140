import { el, h } from './dom.js';
import { Foreign, may, Relative } from './parts.js';
import { t } from './texts.js';

/** Bulk operations with their progress, the newest first. */
export function Jobs({ jobs, now, ask }) {
  return el.ul(
    { class: 'jobs' },
    jobs.map((job) =>
      el.li(
        { key: job.token, class: job.state.toLowerCase() },
        el.div(
          el.strong(h(Foreign, { text: t.jobs.what(job) })),
          job.errorGroup === null ? null : el.span({ class: 'tag' }, t.jobs.group),
          el.span({ class: `tag ${job.state.toLowerCase()}` }, t.jobs.states[job.state] ?? job.state),
        ),
        el.progress({ max: Math.max(job.planned, 1), value: job.changed, 'aria-label': t.jobs.what(job) }),
        el.div(
          { class: 'note' },
          [t.jobs.progress(job), t.jobs.speed(job), t.jobs.by(job)].join(' · '),
          ' · ',
          h(Relative, { at: job.ended ?? job.started, now }),
        ),
        job.error === null ? null : el.p({ class: 'bad' }, h(Foreign, { text: job.error })),
        job.state === 'RUNNING' && may(job.operation)
          ? el.button({ type: 'button', 'aria-label': t.jobs.stopLabel(job), onClick: () => ask({ kind: 'stop', job }) }, t.jobs.stop)
          : null,
      ),
    ),
  );
}
