import { el, useEffect, useState } from './dom.js';
import { context, query } from './api.js';

const listeners = new Set();

function here() {
  const path = location.pathname.slice(context.base.length).replace(/^\/|\/$/g, '');
  return { view: path === '' ? 'overview' : path, parameters: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** The address of a view. */
export function address(view, parameters = {}) {
  return `${context.base}${view === 'overview' ? '' : `/${view}`}${query(parameters)}`;
}

/** Goes to a view, or changes the address of this one. */
export function go(view, parameters, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', address(view, parameters));
  if (!replace) scrollTo(0, 0);
  listeners.forEach((listener) => listener());
}

/** The view that the address names, with its parameters. */
export function useRoute() {
  const [route, setRoute] = useState(here);
  useEffect(() => {
    const update = () => setRoute(here());
    listeners.add(update);
    addEventListener('popstate', update);
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', update);
    };
  }, []);
  return route;
}

/** A link to a view: opened in place, unless the user asks for another tab. */
export function Link({ view, parameters, children, ...attributes }) {
  function follow(event) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(view, parameters);
  }
  return el.a({ ...attributes, href: address(view, parameters), onClick: follow }, children);
}
