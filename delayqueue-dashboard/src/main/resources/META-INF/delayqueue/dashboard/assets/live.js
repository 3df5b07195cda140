import { useEffect, useLayoutEffect, useRef, useState } from './dom.js';
import { get } from './api.js';

const INTERVAL = 2000;

/** Of a topic or message that is not there, which rarely comes back. The texts name it. */
const MISSING_INTERVAL = 10_000;

/** The node that somebody points at, or that has the focus. */
function readNode(main) {
  const pointedAt = [...main.querySelectorAll(':hover')].pop();
  if (pointedAt) return pointedAt;
  const focused = document.activeElement;
  return main.contains(focused) && focused.tabIndex >= 0 ? focused : null;
}

/**
 * Notes where on the screen is what somebody reads. The answer puts it there again after a refresh: by scrolling, and where the page
 * ends, by some room above or below it, which goes when nobody reads.
 */
function keepInPlace() {
  const main = document.querySelector('main');
  const node = readNode(main);
  if (node === null) {
    main.style.marginTop = '';
    main.style.minHeight = '';
    return () => {};
  }
  const top = () => node.getBoundingClientRect().top;
  const before = top();
  return () => {
    if (!node.isConnected || Math.abs(top() - before) < 1) return;
    scrollBy({ top: top() - before, behavior: 'instant' });
    const rest = top() - before;
    if (rest <= -1) main.style.marginTop = `${(parseFloat(main.style.marginTop) || 0) - rest}px`;
    if (rest >= 1) {
      main.style.minHeight = `${main.offsetHeight + rest}px`;
      scrollBy({ top: rest, behavior: 'instant' });
    }
  };
}

/**
 * The latest answer to a request that is repeated while the tab can be seen, less often if its topic or message is not there. The data
 * stay when a request fails, or when the request changes: `answered` is the request that it answers. `report` is told each
 * answer and failure.
 */
export function useLive(request, report) {
  const [state, setState] = useState({ data: null, failure: null, answered: null });
  const again = useRef(() => {});
  const putBack = useRef(() => {});
  useLayoutEffect(() => putBack.current(), [state]);
  useEffect(() => {
    let timer;
    let running = null;
    function stop() {
      clearTimeout(timer);
      running?.abort();
      running = null;
    }
    async function run() {
      stop();
      if (document.hidden) return;
      const mine = new AbortController();
      running = mine;
      let missing = false;
      try {
        const data = await get(request, mine.signal);
        if (mine.signal.aborted) return;
        missing = data.message === null;
        putBack.current = keepInPlace();
        setState({ data, failure: null, answered: request });
        report({ asOf: data.asOf ?? null, failure: null });
      } catch (failure) {
        if (mine.signal.aborted) return;
        missing = failure.kind === 'missing';
        putBack.current = keepInPlace();
        setState((old) => ({ ...old, failure }));
        report({ failure });
      }
      timer = setTimeout(run, missing ? MISSING_INTERVAL : INTERVAL);
    }
    again.current = run;
    document.addEventListener('visibilitychange', run);
    run();
    return () => {
      document.removeEventListener('visibilitychange', run);
      stop();
    };
  }, [request]);
  return { ...state, refresh: () => again.current() };
}

/**
 * Rows that stay where they are while somebody reads them: with the pointer over the list, or the focus in it, known rows are
 * updated in place, those that have gone stay and are marked, and new ones are counted until `showNew` is called. Rows of another
 * request than before are shown as they are.
 */
export function useHeld(rows, keyOf, answered) {
  const list = useRef(null);
  const shown = useRef([]);
  const before = useRef(answered);
  const [, renderAgain] = useState(0);
  const node = list.current;
  const reading = node !== null && (node.contains(document.activeElement) || node.matches(':hover'));
  const same = before.current === answered;
  before.current = answered;
  if (reading && same && shown.current.length > 0) {
    const latest = new Map(rows.map((row) => [keyOf(row), row]));
    shown.current = shown.current.map((row) => latest.get(keyOf(row)) ?? { ...row, gone: true });
  } else {
    shown.current = rows;
  }
  const known = new Set(shown.current.map(keyOf));
  return {
    list,
    shown: shown.current,
    waiting: rows.filter((row) => !known.has(keyOf(row))).length,
    showNew: () => {
      shown.current = rows;
      list.current?.focus();
      renderAgain((n) => n + 1);
    },
  };
}
