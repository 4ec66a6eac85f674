/** Compares transcription, speech and diarization with sherpa-onnx used directly. See docs/benchmarks.md. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { type Contest, type Peer, runContests } from './bench/speech/contest.ts'
import { renderSpeechReport } from './bench/speech/report.ts'
import { seeds } from './eval/speech/dialogue.ts'
import { openAudioFolder, ownDiarizer } from './eval/speech/diarizers.ts'
import { openEspeak } from './eval/speech/espeak.ts'
import { readHeldOut } from './eval/speech/held-out.ts'
import { dialogueRecordings, longRecording } from './eval/speech/recordings.ts'
import { startSherpa } from './eval/speech/sherpa.ts'
import { type SpeechServer, speak, transcribe } from './eval/speech/speech-client.ts'
import { starterModels, starterSetup } from './eval/speech/starter-models.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { childrenOf } from './shared/process-usage.ts'

const usage = `usage: bun run bench:speech [--rounds 5] [--threads CORES] [--sherpa-threads CORES] [--minutes 10]
         [--only TEXT,TEXT] [--inferd FILE] [--before CHECKOUT]
  --minutes  length of the long recording
  --only     contests whose names hold one of the texts
  --inferd   an executable to measure instead of this checkout
  --before   an older checkout to measure beside this one`
const root = join(import.meta.dir, '..')

interface StartedServer extends SpeechServer {
  readonly pid: number
}

async function main(): Promise<number> {
  const cores = availableParallelism()
  const flags = readFlags({
    rounds: 5,
    threads: cores,
    sherpaThreads: cores,
    minutes: 10,
    only: '',
    inferd: '',
    before: '',
  })
  const { threads } = flags
  const espeak = openEspeak()
  const heldOut = readHeldOut()
  const short = dialogueRecordings(espeak, heldOut, seeds.test, 4)
  const long = longRecording(espeak, heldOut, flags.minutes * 60)
  const texts = [0, 1, 2, 3].map((part) => `${heldOut.sentences.slice(part * 5, part * 5 + 5).join('. ')}.`)

  await using stack = new AsyncDisposableStack()
  const folder = stack.use(openAudioFolder())
  const command = flags.inferd === '' ? [process.execPath, join(root, 'src/main.ts')] : [resolve(flags.inferd)]
  const start = async (program: readonly string[]) => {
    const started = await startInferd(program, ['--threads', `${threads}`], async () => undefined)
    stack.defer(started.stop)
    return { ...started, transcriber: starterModels.transcriber.id, synthesizer: starterModels.synthesizer.id }
  }
  const server = await start(command)
  const older =
    flags.before === '' ? undefined : await start([process.execPath, join(resolve(flags.before), 'src/main.ts')])
  const byServers = (work: (server: StartedServer) => Promise<unknown>) => {
    const peer = (started: StartedServer): Peer => ({ work: () => work(started), pid: () => started.pid })
    return { inferd: peer(server), ...(older !== undefined && { before: peer(older) }) }
  }
  const sherpa = startSherpa(starterSetup(flags.sherpaThreads))
  stack.defer(sherpa.stop)
  const bySherpa = (work: () => Promise<unknown>) => ({ sherpa: { work, pid: () => sherpa.pid } })
  const childrenBefore = new Set(childrenOf(process.pid))
  const diarizer = stack.use(ownDiarizer(starterModels.transcriber, threads))
  const diarizerPid = () => childrenOf(process.pid).find((pid) => !childrenBefore.has(pid)) ?? 0

  const sets = [
    { name: 'one file', recordings: short.slice(0, 1), goal: 0.95 },
    { name: 'four files at once', recordings: short },
    { name: `${flags.minutes} minutes`, recordings: [long], goal: 1.6 },
  ]
  const contests: Contest[] = []
  for (const { name, recordings, ...goal } of sets) {
    const audio = await Promise.all(recordings.map((recording) => folder.add(recording)))
    const audioSeconds = recordings.reduce((sum, { lengthSeconds }) => sum + lengthSeconds, 0)
    contests.push({
      name: `transcription, ${name}`,
      ...{ audioSeconds, ...goal },
      ...byServers((to) => Promise.all(audio.map(({ wavPath }) => transcribe(to, readFileSync(wavPath))))),
      ...bySherpa(() => sherpa.run({ kind: 'transcribe', paths: audio.map(({ wavPath }) => wavPath) })),
    })
    contests.push({
      name: `diarization, ${name}`,
      ...{ audioSeconds, goal: 2 },
      inferd: { work: () => Promise.all(audio.map((each) => diarizer.diarize(each))), pid: diarizerPid },
      ...bySherpa(() => oneByOne(audio, ({ wavPath }) => sherpa.run({ kind: 'diarize', path: wavPath }))),
    })
  }
  const spoken = {
    'one sentence': [`${heldOut.sentences[0]}.`],
    'one text': texts.slice(0, 1),
    'four texts at once': texts,
  }
  for (const [name, inputs] of Object.entries(spoken)) {
    const { audioSeconds = 0 } = await sherpa.run({ kind: 'speak', texts: inputs })
    contests.push({
      name: `speech, ${name}`,
      audioSeconds,
      ...byServers((to) => Promise.all(inputs.map((text) => speak(to, text, 'alloy')))),
      ...bySherpa(() => sherpa.run({ kind: 'speak', texts: inputs })),
    })
  }

  const chosen = contests.filter(({ name }) => flags.only.split(',').some((part) => name.includes(part)))
  const { text, outcomes } = renderSpeechReport(await runContests(chosen, flags.rounds))
  console.log(['# Speech benchmark', '', ...describeMachine(await readMachine())].join('\n'))
  console.log(
    `- ${threads} CPU threads, sherpa-onnx ${flags.sherpaThreads}; ${flags.rounds} rounds, medians; figures are real-time factors\n`,
  )
  console.log(text)
  const missed = outcomes.filter(({ contest, ratio }) => ratio < (contest.goal ?? 0))
  for (const { contest, ratio } of missed) {
    console.error(`misses the goal: ${contest.name}: ${ratio.toFixed(2)} times the speed, not ${contest.goal}`)
  }
  return missed.length === 0 ? 0 : 1
}

/** One after the other, since sherpa-onnx's diarizer blocks its process. */
async function oneByOne<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item)
}

runScript(usage, main)
