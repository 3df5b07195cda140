const settings = document.documentElement.dataset;

/** The server's settings for this page and its user. */
export const context = {
  base: settings.base,
  user: settings.user,
  writeEnabled: settings.writeEnabled === 'true',
  /** The roles that open the page, if the user has none of them. */
  missingRoles: (settings.missingRoles ?? '').split(',').filter((role) => role !== ''),
  /** Whether the browser says where a request comes from, without which nothing can be changed. */
  secure: globalThis.isSecureContext,
  may: (right) => (settings.rights ?? '').split(' ').includes(right),
};

/** A request that was not answered as hoped. Its kind is login, server, redis, busy, missing or other. */
export class Failure extends Error {
  constructor(kind, title = '', detail = '') {
    super(detail || title);
    this.kind = kind;
    this.title = title;
    this.detail = detail;
  }
}

async function failureOf(response) {
  if (response.type === 'opaqueredirect' || response.status === 401) return new Failure('login');
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // a proxy answers without a problem
  }
  const title = problem.title ?? `The server answered ${response.status}`;
  const detail = problem.detail ?? '';
  if (problem.type === 'urn:delayqueue:problem:overloaded') return new Failure('busy', title, detail);
  if (response.status === 503) return new Failure('redis', title, detail);
  if (response.status === 404) return new Failure('missing', title, detail);
  if (response.status === 403 && problem.type === undefined) return new Failure('login');
  return new Failure('other', title, detail);
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(`${context.base}/api/${path}`, {
      redirect: 'manual',
      ...options,
      headers: { Accept: 'application/json', ...options.headers },
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure('server');
  }
  if (!response.ok) throw await failureOf(response);
  try {
    return await response.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure('server');
  }
}

/** A query string of these parameters, without those that are null. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Reads from the server. */
export function get(path, signal) {
  return send(path, { signal });
}

/** Asks the server to change something. */
export function post(path, body) {
  const token = settings.csrfHeader ? { [settings.csrfHeader]: settings.csrfToken } : {};
  return send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...token },
    body: JSON.stringify(body),
  });
}

/** The address at which a payload can be downloaded. */
export function rawAddress(topic, id) {
  return `${context.base}/api/raw${query({ topic, id })}`;
}
