/**
 * Sends bad uploads one by one to a running server, which decodes with `ffmpeg` and then without. Prints a table. Exits
 * with 1 if an answer is wrong or late, memory is high, or something is left behind. See docs/benchmarks.md.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type UploadCase, uploadCases } from './attack/audio/cases.ts'
import { type UploadTarget, upload } from './attack/audio/upload.ts'
import { type UploadSight, watchUploads } from './attack/watch-uploads.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'

const usage = 'usage: bun run attack:audio [--only PATTERN] [--command ./inferd]'
const root = join(import.meta.dir, '..')
const goals = { serverMib: 500, childMib: 1024, clearedSeconds: 2 }
/** Time limit of an answer, unless the case has another. */
const usualLimitSeconds = 30
const givesUpSeconds = 900

const head = ['decoder', 'upload', 'answer', 'seconds', 'server MiB', 'largest child MiB', 'cleared after s', 'missed']

async function main(): Promise<number> {
  const { only, command } = readFlags({ only: '', command: `${process.execPath} ${join(root, 'src/main.ts')}` })
  console.log([...describeMachine(await readMachine()), '', ...markdownTable(head, []).slice(0, 2)].join('\n'))
  let connections = 0
  using listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => void connections++, data: () => undefined },
  })
  const cases = uploadCases(`http://127.0.0.1:${listener.port}`).filter(({ name }) => new RegExp(only).test(name))
  const decoders = { ffmpeg: process.env.PATH ?? '', 'built in': '/nonexistent' }
  let missed = 0
  for (const [decoder, path] of Object.entries(decoders)) {
    for await (const row of runAll(cases, ['env', `PATH=${path}`, ...command.split(' ')])) {
      missed += row.missed === '' ? 0 : 1
      console.log(`| ${decoder} | ${Object.values(row).join(' | ')} |`)
    }
  }
  if (connections > 0) console.error(`the decoder connected to another server ${connections} times`)
  return missed === 0 && connections === 0 ? 0 : 1
}

async function* runAll(cases: readonly UploadCase[], command: readonly string[]) {
  let data = ''
  const server = await startInferd(command, ['--log-level', 'error'], async (folder) => {
    data = folder
  })
  const target = { port: Number(new URL(server.baseUrl).port), apiKey: server.apiKey, model: 'inferd/starter-stt' }
  const sight = watchUploads(server.pid, join(data, 'spool'))
  try {
    await isServed(target, sight) // loads the model
    for (const each of cases) yield await run(each, target, sight)
  } finally {
    sight.stop()
    await server.stop()
  }
}

async function run(attack: UploadCase, target: UploadTarget, sight: UploadSight) {
  sight.peaks()
  const outcome = await withinTime(upload(target, attack, sight.reached))
  const clearedSeconds = await withinTime(sight.cleared())
  const { serverMib, childMib } = sight.peaks()
  const { status = 0, code = '', seconds = Number.POSITIVE_INFINITY } = outcome ?? {}
  const isLate = seconds > (attack.limitSeconds ?? usualLimitSeconds)
  const problems = [
    ...(attack.disconnectsAt === undefined && !attack.statuses.includes(status) ? ['answer'] : []),
    ...(isLate ? ['time'] : []),
    ...(serverMib > goals.serverMib || childMib > goals.childMib ? ['memory'] : []),
    ...(clearedSeconds === undefined || clearedSeconds > goals.clearedSeconds ? ['left behind'] : []),
    ...((await isServed(target, sight)) ? [] : ['others']),
  ]
  return {
    name: attack.name,
    answer: attack.disconnectsAt === undefined ? `${status} ${code}` : 'disconnects',
    seconds: seconds.toFixed(1),
    serverMib: serverMib.toFixed(0),
    childMib: childMib.toFixed(0),
    cleared: clearedSeconds?.toFixed(1) ?? 'never',
    missed: problems.join(', '),
  }
}

/** Returns whether another client's recording is transcribed. */
async function isServed(target: UploadTarget, sight: UploadSight): Promise<boolean> {
  const file = () => readFileSync(join(root, 'src/audio/fixtures/float.wav'))
  const outcome = await withinTime(upload(target, { name: 'usual', file, statuses: [200] }, sight.reached))
  return outcome?.status === 200
}

async function withinTime<Result>(work: Promise<Result>): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), givesUpSeconds * 1000)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

runScript(usage, main)
