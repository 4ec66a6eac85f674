/** Progress of a pull: a redrawn line on a terminal, occasional lines elsewhere, or events as JSON. */

import {
  type Download,
  type DownloadPhase,
  type FileProgress,
  newDownload,
  progressOf,
  withProgress,
} from '../../core/download.ts'
import { sizeText } from '../../core/quantities.ts'
import { jsonLine, type ProcessIo } from '../io.ts'

export interface Display {
  /** Begins a model. `totalBytes` covers all its files to be fetched. */
  begin(modelId: string, totalBytes: number): void
  progress(modelId: string, progress: FileProgress): void
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
    { readonly phase: DownloadPhase; readonly trouble: string | undefined; readonly atMs: number }
  >()

  constructor(io: ProcessIo, clock: () => number) {
    this.#io = io
    this.#clock = clock
  }

  begin(modelId: string, totalBytes: number): void {
    this.#io.out(jsonLine({ event: 'begin', model: modelId, totalBytes }))
  }

  progress(modelId: string, { phase, name, bytes, totalBytes, rate, trouble }: FileProgress): void {
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

class TextDisplay implements Display {
  readonly #io: ProcessIo
  readonly #clock: () => number
  /** Downloads by their models. */
  readonly #downloads = new Map<string, Download>()
  readonly #troubles = new Set<string>()
  #shownMs: number

  constructor(io: ProcessIo, clock: () => number) {
    this.#io = io
    this.#clock = clock
    this.#shownMs = clock()
  }

  begin(modelId: string, totalBytes: number): void {
    const facts = { model: modelId, missingBytes: totalBytes, startedMs: this.#clock() }
    this.#downloads.set(modelId, newDownload(facts))
  }

  progress(modelId: string, progress: FileProgress): void {
    const nowMs = this.#clock()
    const download = this.#downloads.get(modelId)
    if (download !== undefined) this.#downloads.set(modelId, withProgress(download, progress))
    const { trouble } = progress
    if (trouble !== undefined && !this.#troubles.has(trouble)) this.#say(`${modelId}: ${trouble}`)
    if (trouble !== undefined) this.#troubles.add(trouble)
    const { redraw, error } = this.#io
    if (nowMs - this.#shownMs < (redraw === undefined ? pausesMs.lines : pausesMs.terminal)) return
    this.#shownMs = nowMs
    const lines = [...this.#downloads.values()].map(toProgressLine)
    if (redraw !== undefined) redraw(lines.join('   '))
    else error(lines.map((line) => `${line}\n`).join(''))
  }

  end(modelId: string): void {
    this.#downloads.delete(modelId)
    this.#io.redraw?.('')
  }

  #say(line: string): void {
    this.#io.redraw?.('')
    this.#io.error(`${line}\n`)
  }
}

const doing: Readonly<Record<DownloadPhase, string>> = {
  resolve: 'asks',
  wait: 'waits for another pull of it',
  download: '',
  verify: 'verifies',
  unpack: 'unpacks',
  link: 'links',
}

function toProgressLine(download: Download): string {
  const { model } = download
  const { doneBytes, totalBytes: total, rate, open } = progressOf(download)
  if (open !== undefined && open.phase !== 'download')
    return `${model}  ${doing[open.phase]} ${open.name}${percentOf(open)}`
  const parts = [
    `${model}  ${total === 0 ? 0 : Math.floor((100 * doneBytes) / total)} %`,
    `${sizeText(doneBytes)} of ${sizeText(total)}`,
    ...(rate === undefined ? [] : [`${sizeText(rate)}/s`, `${timeText((total - doneBytes) / rate)} left`]),
  ]
  return parts.join('  ')
}

function percentOf({ bytes, totalBytes }: FileProgress): string {
  return totalBytes === undefined || totalBytes === 0 ? '' : ` ${Math.floor((100 * bytes) / totalBytes)} %`
}

/** Returns text such as `0:42`, `12:05` or `3:07:10`. */
export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours === 0 ? `${minutes}:${two(whole % 60)}` : `${hours}:${two(minutes)}:${two(whole % 60)}`
}
