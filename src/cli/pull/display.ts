/** Progress of a pull: a redrawn line on a terminal, occasional lines elsewhere, or events as JSON. */
import { sizeText } from '../../core/quantities.ts'
import { type Phase, type Progress, progressOf } from '../../store/progress.ts'
import { jsonLine, type ProcessIo } from '../io.ts'

export interface Display {
  /** Begins a model. `totalBytes` covers all its files to be fetched. */
  begin(modelId: string, totalBytes: number): void
  progress(modelId: string, progress: Progress): void
  /** Ends the model's line. */
  end(modelId: string): void
}

/** Time between two updates in milliseconds. */
const pausesMs = { terminal: 200, lines: 5_000, json: 1_000 }

export function openDisplay(
  io: ProcessIo,
  { isJson, clock = () => performance.now() }: { readonly isJson: boolean; readonly clock?: () => number },
): Display {
  if (isJson) return new JsonDisplay(io, clock)
  return new TextDisplay(io, clock)
}

/** Prints every change of phase, and the numbers of a file once a second. */
class JsonDisplay implements Display {
  readonly #io: ProcessIo
  readonly #clock: () => number
  readonly #shown = new Map<
    string,
    { readonly phase: Phase; readonly trouble: string | undefined; readonly atMs: number }
  >()

  constructor(io: ProcessIo, clock: () => number) {
    this.#io = io
    this.#clock = clock
  }

  begin(modelId: string, totalBytes: number): void {
    this.#io.out(jsonLine({ event: 'begin', model: modelId, totalBytes }))
  }

  progress(modelId: string, { phase, name, bytes, totalBytes, rate, trouble }: Progress): void {
    const key = `${modelId} ${name}`
    const last = this.#shown.get(key)
    const atMs = this.#clock()
    if (last?.phase === phase && last.trouble === trouble && atMs - last.atMs < pausesMs.json) return
    this.#shown.set(key, { phase, trouble, atMs })
    const unknown = { totalBytes: totalBytes ?? null, rate: rate ?? null, trouble: trouble ?? null }
    this.#io.out(jsonLine({ event: 'progress', model: modelId, file: name, phase, bytes, ...unknown }))
  }

  end(modelId: string): void {
    this.#io.out(jsonLine({ event: 'end', model: modelId }))
  }
}

interface ModelState {
  readonly totalBytes: number
  readonly files: Map<string, Progress>
}

class TextDisplay implements Display {
  readonly #io: ProcessIo
  readonly #clock: () => number
  readonly #models = new Map<string, ModelState>()
  readonly #troubles = new Set<string>()
  #shownMs: number

  constructor(io: ProcessIo, clock: () => number) {
    this.#io = io
    this.#clock = clock
    this.#shownMs = clock()
  }

  begin(modelId: string, totalBytes: number): void {
    this.#models.set(modelId, { totalBytes, files: new Map() })
  }

  progress(modelId: string, progress: Progress): void {
    const nowMs = this.#clock()
    this.#models.get(modelId)?.files.set(progress.name, progress)
    const { trouble } = progress
    if (trouble !== undefined && !this.#troubles.has(trouble)) this.#say(`${modelId}: ${trouble}`)
    if (trouble !== undefined) this.#troubles.add(trouble)
    const { redraw, error } = this.#io
    if (nowMs - this.#shownMs < (redraw === undefined ? pausesMs.lines : pausesMs.terminal)) return
    this.#shownMs = nowMs
    const lines = [...this.#models].map(([id, state]) => lineOf(id, state))
    if (redraw !== undefined) redraw(lines.join('   '))
    else error(lines.map((line) => `${line}\n`).join(''))
  }

  end(modelId: string): void {
    this.#models.delete(modelId)
    this.#io.redraw?.('')
  }

  #say(line: string): void {
    this.#io.redraw?.('')
    this.#io.error(`${line}\n`)
  }
}

const doing: Readonly<Record<Phase, string>> = {
  resolve: 'asks',
  wait: 'waits for another pull of it',
  download: '',
  verify: 'verifies',
  unpack: 'unpacks',
  link: 'links',
}

function lineOf(modelId: string, { totalBytes, files }: ModelState): string {
  const { doneBytes, totalBytes: total, rate, open } = progressOf([...files.values()], totalBytes)
  if (open !== undefined && open.phase !== 'download')
    return `${modelId}  ${doing[open.phase]} ${open.name}${percentOf(open)}`
  const parts = [
    `${modelId}  ${total === 0 ? 0 : Math.floor((100 * doneBytes) / total)} %`,
    `${sizeText(doneBytes)} of ${sizeText(total)}`,
    ...(rate === undefined ? [] : [`${sizeText(rate)}/s`, `${timeText((total - doneBytes) / rate)} left`]),
  ]
  return parts.join('  ')
}

function percentOf({ bytes, totalBytes }: Progress): string {
  return totalBytes === undefined || totalBytes === 0 ? '' : ` ${Math.floor((100 * bytes) / totalBytes)} %`
}

/** Returns text such as `0:42`, `12:05` or `3:07:10`. */
export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours === 0 ? `${minutes}:${two(whole % 60)}` : `${hours}:${two(minutes)}:${two(whole % 60)}`
}
