import { el, h, render, useEffect, useRef, useState } from './dom.js';
import { Confirmation } from './actions.js';
import { Activity } from './activity.js';
import { context } from './api.js';
import { clock, zone } from './format.js';
import { Message } from './message.js';
import { Overview } from './overview.js';
import { go, Link, useRoute } from './router.js';
import { Search } from './search.js';
import { t } from './texts.js';
import { Topic } from './topic.js';

const VIEWS = { overview: Overview, topic: Topic, message: Message, search: Search, activity: Activity };

function titleOf({ view, parameters }) {
  if (view === 'message') return [parameters.id, parameters.topic];
  if (view === 'topic') return [parameters.topic];
  return [{ overview: t.nav.topics, activity: t.nav.activity, search: t.search.label }[view] ?? t.notFound.heading];
}

/** The same for two states of a view, another for another view. */
function identity({ view, parameters }) {
  return JSON.stringify([view, parameters.topic, parameters.id]);
}

function App() {
  const route = useRoute();
  const key = identity(route);
  const [live, setLive] = useState({ asOf: null, failure: null });
  const [asked, setAsked] = useState(null);
  const [notice, setNotice] = useState('');
  const main = useRef(null);
  const first = useRef(true);
  const report = (news) => setLive((old) => ({ ...old, ...news }));
  useEffect(() => {
    document.title = t.title(titleOf(route));
    if (!first.current) main.current.querySelector('h1')?.focus();
    first.current = false;
    setLive({ asOf: null, failure: null });
    setAsked(null);
  }, [key]);
  function close() {
    setAsked(null);
  }
  function done(text) {
    setNotice(text);
    asked.refresh();
    close();
  }
  const View = VIEWS[route.view];
  return [
    el.a({ class: 'skip', href: '#main', onClick: (event) => { event.preventDefault(); main.current.focus(); } }, t.skip),
    h(Header, { view: route.view, live }),
    h(FailureBanner, { failure: live.failure }),
    el.main(
      { id: 'main', ref: main, tabindex: -1 },
      View
        ? h(View, { key, parameters: route.parameters, report, ask: (request, refresh) => setAsked({ request, refresh }) })
        : [el.h1({ tabindex: -1 }, t.notFound.heading), el.p(t.notFound.text)],
    ),
    el.footer(t.footer(zone, context.user)),
    el.div(
      { class: `notice ${notice === '' ? 'empty' : ''}` },
      el.span({ role: 'status' }, notice),
      notice === '' ? null : el.button({ type: 'button', onClick: () => setNotice('') }, t.result.dismiss),
    ),
    asked ? h(Confirmation, { request: asked.request, onDone: done, onClose: close }) : null,
  ];
}

function Header({ view, live }) {
  const here = (name) => (view === name ? 'page' : undefined);
  function find(event) {
    event.preventDefault();
    const id = new FormData(event.target).get('id');
    if (id) go('search', { id });
  }
  return el.header(
    h(Link, { view: 'overview', class: 'brand' }, h(Mark), t.product),
    el.nav(
      { 'aria-label': t.nav.label },
      h(Link, { view: 'overview', 'aria-current': here('overview') }, t.nav.topics),
      h(Link, { view: 'activity', 'aria-current': here('activity') }, t.nav.activity),
    ),
    el.form(
      { role: 'search', onSubmit: find },
      el.input({ name: 'id', type: 'search', 'aria-label': t.search.label, placeholder: t.search.placeholder, autocomplete: 'off', maxlength: 1000 }),
      el.button({ type: 'submit' }, t.search.submit),
    ),
    el.p(
      { class: `as-of ${live.failure ? 'old' : live.asOf ? 'fresh' : ''}` },
      live.asOf ? el.time({ datetime: live.asOf, title: live.asOf }, t.live.asOf(clock(new Date(live.asOf)))) : null,
    ),
  );
}

function Mark() {
  return el.svg(
    { class: 'mark', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    el.circle({ cx: 12, cy: 12, r: 9.25 }),
    el.path({ d: 'M12 6.5V12l3.75 2.25' }),
  );
}

/** Why the numbers are old, or missing. A missing topic or message is said in its view. */
function FailureBanner({ failure }) {
  const text =
    failure === null || failure.kind === 'missing'
      ? ''
      : {
          login: t.live.login,
          server: t.live.serverDown,
          redis: t.live.redisDown,
          busy: t.live.busy,
        }[failure.kind] ?? t.live.failed(failure.title, failure.detail);
  return el.div(
    { role: 'status', class: text === '' ? 'failure empty' : 'failure' },
    text,
    failure?.kind === 'login' ? el.button({ type: 'button', onClick: () => location.reload() }, t.live.reload) : null,
  );
}

/** For a user who may see nothing: the roles that would change that. */
function NoRole() {
  useEffect(() => {
    document.title = t.title([t.noRole.heading]);
  }, []);
  return el.main(
    { id: 'main', tabindex: -1 },
    el.h1({ tabindex: -1 }, t.noRole.heading),
    el.section(
      { class: 'card', 'aria-label': t.noRole.heading },
      el.p(t.noRole.text(context.user)),
      el.ul({ class: 'roles' }, context.missingRoles.map((role) => el.li({ key: role }, el.code(role)))),
      el.p({ class: 'note' }, t.noRole.ask),
    ),
  );
}

render(h(context.may('VIEW') ? App : NoRole), document.getElementById('app'));
