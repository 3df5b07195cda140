// Preact and its hooks are classic scripts that index.html loads before this module: modules would need an import map,
// which the Content-Security-Policy refuses.
const { h, render } = globalThis.preact;
const { useState, useEffect, useLayoutEffect, useRef, useMemo } = globalThis.preactHooks;

// a virtual node's constructor is undefined, so that no JSON can pass for one
const isAttributes = (value) => value !== null && typeof value === 'object' && value.constructor === Object;

/** A function for each element, as in `el.p({ class: 'note' }, 'text')`; the attributes may be left out. */
export const el = new Proxy(
  {},
  {
    get: (_, name) => (first, ...children) =>
      isAttributes(first) ? h(name, first, ...children) : h(name, null, first, ...children),
  },
);

export { h, render, useState, useEffect, useLayoutEffect, useRef, useMemo };
