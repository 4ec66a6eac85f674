/**
 * Sends bad pictures: rare, damaged and lying ones, one by one, then thousands that are damaged by chance. Prints two
 * tables. Exits with 1 if an answer is wrong or late, memory is high, or an engine dies. See docs/benchmarks.md.
 */
import { join } from 'node:path'
import { controlSocketPath, type ServerStatus } from '../src/server/control.ts'
import { askAboutPicture, isOutcome, type PictureAnswer, type PictureTarget } from '../src/testing/ask-about-picture.ts'
import { hostilePictures } from '../src/testing/hostile-pictures.ts'
import { mutatedPictures } from '../src/testing/mutated-pictures.ts'
import { watchUploads } from './attack/watch-uploads.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { percentile } from './shared/statistics.ts'

const usage = 'usage: bun run attack:images [--only PATTERN] [--mutations 2000] [--seed 1] [--command ./inferd]'
const root = join(import.meta.dir, '..')
const goals = { serverMib: 700, childMib: 1024, seconds: 30 }
const formats = ['png', 'jpg', 'gif', 'bmp', 'webp']
const clients = 4

/** Answers to one picture, or to many. */
interface Sent {
  readonly name: string
  readonly answers: readonly PictureAnswer[]
  /** Returns whether an answer is permitted. */
  readonly isRight: (answer: PictureAnswer) => boolean
}

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ only: '', mutations: 2000, seed: 1 },
    command: `${process.execPath} ${join(root, 'src/main.ts')}`,
  })
  const only = new RegExp(flags.only)
  let data = ''
  const server = await startInferd(flags.command.split(' '), ['--log-level', 'error'], async (folder) => {
    data = folder
  })
  const sight = watchUploads(server.pid, join(data, 'spool'))
  try {
    const target = { ...server, key: server.apiKey }
    const usual = hostilePictures.find(({ outcome }) => outcome === 'answered')
    if (usual === undefined) throw new Error('no picture is usual')
    await askAboutPicture(target, usual.file()) // loads the model
    let restarts = 0
    const head = ['', 'answers', 'p50 s', 'longest s', 'server MiB', 'largest child MiB', 'missed']
    console.log([...describeMachine(await readMachine()), '', ...markdownTable(head, []).slice(0, 2)].join('\n'))
    let missed = 0
    let rows = 0
    for await (const sent of allSent(target, flags, only)) {
      rows++
      const { serverMib, childMib } = sight.peaks()
      const before = restarts
      restarts = await restartsOf(data)
      const seconds = sent.answers.map((answer) => answer.seconds)
      const problems = [
        ...(sent.answers.every(sent.isRight) ? [] : ['answer']),
        ...(Math.max(...seconds) > goals.seconds ? ['time'] : []),
        ...(serverMib > goals.serverMib || childMib > goals.childMib ? ['memory'] : []),
        ...(restarts > before ? [`engine ended ${restarts - before} times`] : []),
        ...((await askAboutPicture(target, usual.file())).status === 200 ? [] : ['others']),
      ]
      missed += problems.length
      const cells = [
        ...[sent.name, tally(sent.answers), percentile(seconds, 0.5).toFixed(2), Math.max(...seconds).toFixed(2)],
        ...[serverMib.toFixed(0), childMib.toFixed(0), problems.join(', ')],
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
    if (rows === 0) throw new Error(`--only ${flags.only}: no picture has such a name`)
    return missed === 0 ? 0 : 1
  } finally {
    sight.stop()
    await server.stop()
  }
}

/** Returns how often engines have ended unexpectedly. */
async function restartsOf(data: string): Promise<number> {
  const answer = await fetch('http://inferd/status', { unix: controlSocketPath(data) })
  const { engines } = (await answer.json()) as ServerStatus // our own program's answer
  return engines.reduce((sum, engine) => sum + engine.restarts, 0)
}

interface Flags {
  readonly mutations: number
  readonly seed: number
}

async function* allSent(target: PictureTarget, { mutations, seed }: Flags, only: RegExp): AsyncGenerator<Sent> {
  for (const picture of hostilePictures) {
    if (!only.test(picture.name)) continue
    const answer = await askAboutPicture(target, picture.file(), picture.count)
    yield { name: picture.name, answers: [answer], isRight: (answer) => isOutcome(answer, picture.outcome) }
  }
  for (const format of formats) {
    const name = `${mutations} damaged ${format}`
    if (!only.test(name) || mutations === 0) continue
    const pictures = mutatedPictures(format, mutations, seed)
    const answers: PictureAnswer[] = []
    const client = async () => {
      // All clients take pictures from the same generator.
      for (const { bytes } of pictures) answers.push(await askAboutPicture(target, bytes))
    }
    await Promise.all(Array.from({ length: clients }, client))
    yield { name, answers, isRight: (answer) => isOutcome(answer, 'either') }
  }
}

/** Returns counts such as `12 x 200, 3 x 400 invalid_image`. */
function tally(answers: readonly PictureAnswer[]): string {
  const counts = Map.groupBy(answers, ({ status, code }) => `${status} ${code}`.trim())
  return [...counts].map(([answer, all]) => `${all.length} x ${answer}`).join(', ')
}

runScript(usage, main)
