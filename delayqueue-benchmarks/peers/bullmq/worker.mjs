// BullMQ as a peer: answers the same lines as the worker of the harness, which describes them.
import { createInterface } from 'node:readline'
import { Queue, Worker } from 'bullmq'

const DIGITS = 10
const micros = () => Math.round((performance.timeOrigin + performance.now()) * 1000)
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) * 1000 }
const pause = millis => new Promise(resolve => setTimeout(resolve, millis))

let connection, lease, arrivals, consumers = [], queues = new Map()

const topics = command => Number(command.topics ?? 1) === 1
  ? [command.topic]
  : Array.from({ length: Number(command.topics) }, (_, i) => `${command.topic}-${i}`)

function queue (topic) {
  if (!queues.has(topic)) queues.set(topic, new Queue(topic, { connection }))
  return queues.get(topic)
}

function job (number, size, delay) {
  const text = String(number).padStart(DIGITS, '0').padEnd(size, 'x')
  return { name: 'm', data: { text }, opts: { delay, jobId: 'benchmark-' + number, removeOnComplete: true } }
}

function encode (times) {
  const buffer = Buffer.alloc(times.length * 8)
  times.forEach((time, i) => buffer.writeBigInt64BE(BigInt(time), i * 8))
  return buffer.toString('base64url')
}

class Arrivals {
  constructor (first, count) {
    Object.assign(this, { first, entered: new Array(count).fill(0), count: 0, duplicates: 0, cpu: cpu() })
  }

  handle (text) {
    const index = Number(text.slice(0, DIGITS)) - this.first
    if (!(index in this.entered)) return
    if (this.entered[index]) { this.duplicates++; return }
    this.entered[index] = micros()
    this.count++
  }

  async await (millis) {
    const end = Date.now() + millis
    while (this.count < this.entered.length && Date.now() < end) await pause(1)
    const times = this.entered.filter(time => time > 0)
    const [first, last] = times.reduce(([a, b], t) => [Math.min(a, t), Math.max(b, t)], [Infinity, 0])
    return { count: this.count, first: last ? first : 0, last, duplicates: this.duplicates, cpu: cpu() - this.cpu, allocated: 0 }
  }
}

const handlers = {
  nothing: async () => {},
  hold: () => new Promise(() => {})
}

const commands = {
  open (command) {
    const url = new URL(command.server)
    connection = { host: url.hostname, port: Number(url.port), maxRetriesPerRequest: null }
    lease = Number(command.lease)
  },

  // each "thread" makes its next call when the last one has returned
  async schedule (command) {
    const [first, count, batch, size] = ['first', 'count', 'batch', 'payload'].map(key => Number(command[key]))
    const end = first + count
    const deadline = performance.now() + Number(command.millis)
    const into = queue(command.topic)
    const delay = number => command.due === undefined
      ? Number(command.delay)
      : Math.max(0, Number(command.due) + Math.floor(Number(command.spread ?? 0) * (number - first) / count) - Date.now())
    let next = first
    let scheduled = 0
    async function caller () {
      while (performance.now() < deadline && next < end) {
        const from = next
        const to = Math.min(from + batch, end)
        next = to
        const jobs = []
        for (let n = from; n < to; n++) jobs.push(job(n, size, delay(from)))
        if (jobs.length === 1) await into.add(jobs[0].name, jobs[0].data, jobs[0].opts)
        else await into.addBulk(jobs)
        scheduled += to - from
        if (Number(command.pace) > 0) await pause(Number(command.pace))
      }
    }
    const begun = process.hrtime.bigint()
    const before = cpu()
    await Promise.all(Array.from({ length: Number(command.threads) }, caller))
    return { count: scheduled, nanos: process.hrtime.bigint() - begun, cpu: cpu() - before, allocated: 0 }
  },

  // message n at start + n × period, independent of earlier ones
  async paced (command) {
    const count = Number(command.count)
    const period = Number(command.period) / 1000
    const into = topics(command).map(queue)
    const called = new Array(count).fill(0)
    const returned = new Array(count).fill(0)
    const calls = []
    const start = micros() + 10_000
    for (let n = 0; n < count; n++) {
      const wait = start + n * period - micros()
      if (wait > 1500) await pause(wait / 1000 - 1)
      while (micros() < start + n * period) await new Promise(resolve => setImmediate(resolve))
      const { name, data, opts } = job(Number(command.first) + n, Number(command.payload), Number(command.delay))
      called[n] = micros()
      calls.push(into[n % into.length].add(name, data, opts).then(() => { returned[n] = micros() }))
    }
    await Promise.race([Promise.allSettled(calls), pause(Number(command.patience))])
    return { start, called: encode(called), returned: encode(returned) }
  },

  async consume (command) {
    arrivals = new Arrivals(Number(command.first), Number(command.count))
    const expected = arrivals
    const work = handlers[command.handler] ?? (() => pause(Number(command.handler)))
    consumers = topics(command).map(topic => new Worker(topic, async each => {
      expected.handle(each.data.text)
      await work()
    }, { connection, concurrency: Number(command.concurrency), lockDuration: lease, stalledInterval: lease }))
    await Promise.all(consumers.map(consumer => consumer.waitUntilReady()))
    expected.cpu = cpu()
  },

  await: command => arrivals.await(Number(command.millis)),

  times: () => ({ now: micros(), first: arrivals.first, entered: encode(arrivals.entered), due: encode(arrivals.entered.map(() => 0)) }),

  counters: () => ({}),

  async stop () {
    await Promise.all(consumers.map(consumer => consumer.close(true)))
    consumers = []
  },

  async close () {
    await commands.stop()
    await Promise.all([...queues.values()].map(each => each.close()))
    queues = new Map()
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...pairs] = line.trim().split(/ +/)
  const command = Object.fromEntries(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
  let answer
  try {
    const values = await commands[word](command) ?? {}
    answer = 'ok' + Object.entries(values).map(([key, value]) => ` ${key}=${value}`).join('')
  } catch (error) {
    console.error(error)
    answer = 'error message=' + String(error).replaceAll(/\s/g, '_')
  }
  process.stdout.write(answer + '\n')
}
process.exit(0)
