/** Measures how well a model answers questions about drawn pictures that no training saw. See docs/benchmarks.md. */
import { join, resolve } from 'node:path'
import { askAboutPicture, type DialectName, dialects, type VisionServer } from './eval/vision/dialects.ts'
import { readHeldOutPictures } from './eval/vision/held-out.ts'
import { type AskedQuestion, isRight, renderScores, scoreByKind } from './eval/vision/score.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'

const usage = `usage: bun run eval:vision [--pictures 250] [--show] [--inferd FILE] [--url ADDRESS --key KEY] [--model ID]
         [--peer ADDRESS]
  --show    prints wrong answers, and those that differ
  --inferd  an executable to measure instead of this checkout
  --url     a running server, with /v1, to measure instead
  --peer    a llama-server with the same model and projector, with /v1: it must give the same answers`
const root = join(import.meta.dir, '..')
const goals = { right: 0.8 }

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ pictures: 250, show: false, inferd: '', url: '', key: '', model: 'inferd/starter-chat', peer: '' },
  })
  const command = flags.inferd === '' ? [process.execPath, join(root, 'src/main.ts')] : [resolve(flags.inferd)]
  await using stack = new AsyncDisposableStack()
  const started =
    flags.url === ''
      ? await startInferd(command, [], async () => undefined)
      : { baseUrl: flags.url, apiKey: flags.key, stop: async () => undefined }
  stack.defer(started.stop)
  const server: VisionServer = { ...started, model: flags.model }
  const peer: VisionServer | undefined =
    flags.peer === ''
      ? undefined
      : { ...server, baseUrl: flags.peer, extra: { chat_template_kwargs: { enable_thinking: false } } }

  const asked: AskedQuestion[] = []
  for (const { picture, questions } of readHeldOutPictures().slice(0, flags.pictures)) {
    for (const { kind, question, answer } of questions) {
      asked.push({ kind, question, expected: answer, answers: await answersOf(server, peer, picture, question) })
    }
  }
  const scores = scoreByKind(asked)
  console.log(['# Vision evaluation', '', ...describeMachine(await readMachine()), ''].join('\n'))
  console.log(renderScores(scores))
  if (flags.show) showOdd(asked)
  const all = scores.at(-1)
  // In this form, no answers at all miss the goal too.
  const isGood = all !== undefined && all.right / all.questions >= goals.right
  const missed = [
    ...(isGood ? [] : ['too few answers are right']),
    ...(all?.different === 0 ? [] : [`${all?.different} questions were answered differently`]),
  ]
  for (const each of missed) console.error(`misses the goal: ${each}`)
  return missed.length === 0 ? 0 : 1
}

/** Returns the answers of all dialects, and of the peer if there is one. */
async function answersOf(
  server: VisionServer,
  peer: VisionServer | undefined,
  picture: string,
  question: string,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  for (const dialect of Object.keys(dialects) as DialectName[]) {
    answers.set(dialect, await askAboutPicture(server, dialect, picture, question))
  }
  if (peer !== undefined) {
    answers.set('llama-server', await askAboutPicture(peer, 'chat/completions', picture, question))
  }
  return answers
}

function showOdd(asked: readonly AskedQuestion[]): void {
  for (const each of asked) {
    const given = new Set(each.answers.values())
    if (isRight(each) && given.size === 1) continue
    console.log(`${each.kind}: ${each.question}\n  expected: ${each.expected}`)
    for (const answer of given) console.log(`  answered: ${answer}`)
  }
}

runScript(usage, main)
