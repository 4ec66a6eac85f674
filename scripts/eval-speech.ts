/** Measures how well the starter models transcribe, speak and tell speakers apart. See docs/benchmarks.md. */
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { seeds } from './eval/speech/dialogue.ts'
import { type Diarizer, ownDiarizer, sherpaDiarizer } from './eval/speech/diarizers.ts'
import { openEspeak } from './eval/speech/espeak.ts'
import { readHeldOut } from './eval/speech/held-out.ts'
import { measureTurns } from './eval/speech/measure-turns.ts'
import { measureRoundTrip, measureWords } from './eval/speech/measure-words.ts'
import { dialogueRecordings, realRecordings, sentenceRecordings } from './eval/speech/recordings.ts'
import { type Measured, percent, renderEvaluation } from './eval/speech/report.ts'
import { starterModels, starterSetup } from './eval/speech/starter-models.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'

const usage = `usage: bun run eval:speech [--sentences 50] [--dialogues 10] [--tuning] [--threads CORES] [--inferd FILE]
         [--url ADDRESS --key KEY [--transcriber ID] [--synthesizer ID]] [--data FOLDER [--segmentation FILE]]
  --tuning        other dialogues than those that are reported, to tune on
  --inferd        an executable to measure instead of this checkout
  --url           a running server, with /v1, to measure instead
  --data          recordings NAME.wav with their turns in RTTM beside them, which diarizers hear too
  --segmentation  the segmentation model for these, instead of the starter's`
const root = join(import.meta.dir, '..')
const goals = { wordErrorRate: 0.25, errorRate: 0.15, rightCounts: 0.9, rightSpeakers: 0.9, speedOfSherpa: 2 }

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ sentences: 50, dialogues: 10, tuning: false, threads: availableParallelism(), inferd: '', data: '' },
    ...{ url: '', key: '', segmentation: '' },
    ...{ transcriber: starterModels.transcriber.id, synthesizer: starterModels.synthesizer.id },
  })
  const { threads } = flags
  const espeak = openEspeak()
  const heldOut = readHeldOut()
  const sentences = sentenceRecordings(espeak, heldOut, flags.sentences)
  const dialogues = dialogueRecordings(espeak, heldOut, flags.tuning ? seeds.tuning : seeds.test, flags.dialogues)
  const rows: Measured[] = []
  const command = flags.inferd === '' ? [process.execPath, join(root, 'src/main.ts')] : [resolve(flags.inferd)]
  await using stack = new AsyncDisposableStack()
  const server =
    flags.url === ''
      ? await startInferd(command, ['--threads', `${threads}`], async () => undefined)
      : { baseUrl: flags.url, apiKey: flags.key, stop: async () => undefined }
  stack.defer(server.stop)
  const client = { ...server, transcriber: flags.transcriber, synthesizer: flags.synthesizer }

  await measureRoundTrip(client, heldOut.sentences.slice(0, 1)) // loads the models
  const roundTrip = await measureRoundTrip(client, heldOut.sentences.slice(0, flags.sentences))
  const words = await measureWords(client, { name: 'espeak-ng, sentences', recordings: sentences, diarize: false })
  const spoken = await measureWords(client, { name: 'espeak-ng, dialogues', recordings: dialogues, diarize: true })
  rows.push(...roundTrip.rows, words.row, spoken.row)

  const { inferd, sherpa } = await withDiarizers(threads, undefined, (diarizers) =>
    measureTurns('turns of dialogues', dialogues, diarizers),
  )
  rows.push(inferd.row, sherpa.row)
  if (flags.data !== '') {
    const segmentation = flags.segmentation === '' ? undefined : resolve(flags.segmentation)
    const real = await withDiarizers(threads, segmentation, (diarizers) =>
      measureTurns('turns of real recordings', realRecordings(flags.data), diarizers),
    )
    rows.push(real.inferd.row, real.sherpa.row)
  }
  console.log(['# Speech evaluation', '', ...describeMachine(await readMachine())].join('\n'))
  console.log(`- ${threads} CPU threads; sherpa-onnx with the same models and threads\n`)
  console.log(renderEvaluation(rows))
  const speed = sherpa.workSeconds / inferd.workSeconds
  const missed = [
    roundTrip.wordErrorRate < goals.wordErrorRate ||
      `round trip: ${percent(roundTrip.wordErrorRate)} of the words wrong`,
    inferd.errorRate < goals.errorRate || `dialogues: DER ${percent(inferd.errorRate)}`,
    inferd.errorRate < sherpa.errorRate || `dialogues: DER not below that of sherpa-onnx`,
    inferd.rightCounts >= goals.rightCounts || `dialogues: speakers right in ${percent(inferd.rightCounts)}`,
    spoken.rightSpeakers >= goals.rightSpeakers ||
      `dialogues: right speaker for ${percent(spoken.rightSpeakers)} of the words`,
    speed >= goals.speedOfSherpa || `diarization: ${speed.toFixed(2)} times the speed of sherpa-onnx`,
  ].filter((each) => each !== true)
  for (const each of missed) console.error(`misses the goal: ${each}`)
  return missed.length === 0 ? 0 : 1
}

/** Runs both diarizers during `use`. */
async function withDiarizers<Result>(
  threads: number,
  segmentation: string | undefined,
  use: (diarizers: { inferd: Diarizer; sherpa: Diarizer }) => Promise<Result>,
): Promise<Result> {
  const { transcriber } = starterModels
  const files = { ...transcriber.files, ...(segmentation !== undefined && { segmentation }) }
  await using inferd = ownDiarizer({ ...transcriber, files }, threads)
  await using sherpa = sherpaDiarizer(starterSetup(threads, segmentation))
  return await use({ inferd, sherpa })
}

runScript(usage, main)
