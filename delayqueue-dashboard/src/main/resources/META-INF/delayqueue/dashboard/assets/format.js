const group = new Intl.NumberFormat('en');
const two = (n) => String(n).padStart(2, '0');

/** A count with thousands separators. */
export function count(n) {
  return n === null || n === undefined ? '–' : group.format(n);
}

/** A rate per second: two significant digits below 10. */
export function rate(n) {
  if (n === null || n === undefined) return '–';
  if (n === 0) return '0';
  if (n < 0.01) return '<0.01';
  return n < 10 ? String(Number(n.toPrecision(2))) : count(Math.round(n));
}

/** A duration in milliseconds, in its two largest units. */
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  const abs = Math.abs(ms);
  if (abs < 1000) return `${Math.round(abs)} ms`;
  if (abs < 10_000) return `${(abs / 1000).toFixed(1)} s`;
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ];
  const first = units.findIndex(([, size]) => abs >= size);
  const [name, size] = units[first];
  const whole = Math.floor(abs / size);
  const next = units[first + 1];
  const rest = next ? Math.floor((abs % size) / next[1]) : 0;
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${next[0]}`;
}

/** A size in bytes. */
export function bytes(n) {
  if (n === null || n === undefined) return '–';
  if (n < 1024) return `${count(n)} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} KiB`;
  return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

/** The time of day in the viewer's zone. */
export function clock(date) {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function day(date) {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A time in the viewer's zone; the date is left out if it is that of `now`. */
export function time(iso, now = new Date()) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return String(iso);
  return day(date) === day(now) ? clock(date) : `${day(date)} ${clock(date)}`;
}

/** A value for an input of type datetime-local. */
export function localInput(date) {
  return `${day(date)}T${clock(date)}`;
}

/** A time in UTC, to the digit that the server sent. */
export function utc(iso) {
  return String(iso).replace('T', ' ').replace(/Z$/, ' UTC');
}

/** The viewer's time zone, such as Europe/Berlin. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
