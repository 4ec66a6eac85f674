/** Events of the running server for the operator's pages: snake_case, times in ISO 8601. */
import type { ReasonedLayout } from '../../core/cache-layout.ts'
import { type Download, downloadError, progressOf } from '../../core/download.ts'
import type { DeviceBar, MachinePicture, MemoryBar, Rates, ServerState } from '../../core/live.ts'
import { isLoaded } from '../../core/model-counts.ts'
import type { WatchedModel } from '../../core/model-state.ts'
import { nanoToDecimal } from '../../core/money.ts'
import type { RequestRecord } from '../../core/request-record.ts'
import type { StepShares } from '../../core/step-times.ts'
import { toTime } from './time.ts'

export type MemoryOnPage = ReturnType<typeof toMemory>
export type DeviceOnPage = ReturnType<typeof toDevice>
export type MachineOnPage = ReturnType<typeof toMachine>[number]
export type EngineEvent = ReturnType<typeof toEngineEvent>
export type RatesOnPage = ReturnType<typeof toRates>
export type StateOnPage = ReturnType<typeof toState>
export type RequestEvent = ReturnType<typeof toRequestEvent>

/** Largest event in bytes */
const eventBytes = 4 * 1024

/** Returns one event, or one per device if that would be too large. Pages know devices by their ids. */
export function toMachine({ atMs, devices, memory, disk }: MachinePicture) {
  const whole = {
    at: toTime(atMs),
    devices: devices.map(toDevice),
    memory: { ...toMemory(memory), server_bytes: memory.serverBytes },
    disk: disk === undefined ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
  }
  if (JSON.stringify(whole).length < eventBytes) return [whole]
  return whole.devices.map((device) => ({ ...whole, devices: [device] }))
}

function toDevice(device: DeviceBar) {
  return {
    ...toMemory(device),
    name: device.name,
    kind: device.kind,
    state: device.state,
    sample_at: device.sampledAtMs === undefined ? null : toTime(device.sampledAtMs),
    load_percent: device.loadPercent ?? null,
    temperature_c: device.temperatureC ?? null,
    power_w: device.powerW ?? null,
  }
}

function toMemory({ id, totalBytes, freeBytes, reservedBytes, otherBytes, models }: MemoryBar) {
  return {
    id,
    total_bytes: totalBytes ?? null,
    free_bytes: freeBytes ?? null,
    reserved_bytes: reservedBytes,
    other_bytes: otherBytes ?? null,
    models: models.map(({ model, weightsBytes, cacheBytes, otherBytes: restBytes, isMeasured }) => ({
      model,
      weights_bytes: weightsBytes,
      cache_bytes: cacheBytes,
      other_bytes: restBytes,
      is_measured: isMeasured,
    })),
  }
}

/** Characters of an engine's last words in an event. */
const lastWordsLength = 2_500

/** Returns the event that tells operators' pages of an engine. */
export function toEngineEvent(engine: WatchedModel) {
  const { info, lastFailure } = engine
  return {
    model: engine.modelId,
    state: engine.state,
    is_loaded: isLoaded(engine.state),
    since: toTime(engine.sinceMs),
    device: engine.placement ?? info?.device ?? null,
    backend: engine.backend ?? null,
    remark: info?.remark ?? null,
    running: engine.running,
    parallel: info?.parallel ?? null,
    waiting: engine.waiting,
    output_tokens_per_s: engine.outputTokensPerSecond,
    prompt_tokens_per_s: engine.promptTokensPerSecond,
    cache_tokens: engine.cacheTokens ?? null,
    cache_layout: info?.cacheLayout === undefined ? null : toCacheLayout(info.cacheLayout),
    cache_limit_tokens: info?.cacheLimitTokens ?? null,
    context_tokens: info?.contextTokens ?? null,
    step_shares: engine.stepShares === undefined ? null : toShares(engine.stepShares),
    load_progress: engine.loadedFraction ?? null,
    is_compiling: engine.isCompiling,
    restarts: engine.restarts,
    last_failure:
      lastFailure === undefined
        ? null
        : {
            at: toTime(lastFailure.atMs),
            reason: lastFailure.reason.slice(0, 500),
            lines: lastLines(lastFailure.lines),
          },
    retry_at: engine.retryAtMs === undefined ? null : toTime(engine.retryAtMs),
    is_pinned: engine.isPinned,
  }
}

function toCacheLayout({ isUnified, sequences, tokensEach, reason }: ReasonedLayout) {
  return { caches: isUnified ? 1 : sequences, tokens_each: tokensEach, reason }
}

function toShares({ device, sampling, waiting }: StepShares) {
  const rounded = (share: number) => Math.round(100 * share) / 100
  return { device: rounded(device), sampling: rounded(sampling), waiting: rounded(waiting) }
}

/** Returns the latest lines that fit into an event. */
function lastLines(lines: readonly string[]): string[] {
  let length = 0
  const kept = lines.toReversed().filter((line) => {
    length += line.length + 10
    return length <= lastWordsLength
  })
  return kept.reverse()
}

export function toRates(rates: Rates) {
  return {
    at: toTime(rates.atMs),
    output_tokens_per_s: rates.outputTokensPerSecond,
    prompt_tokens_per_s: rates.promptTokensPerSecond,
    running: rates.running,
    waiting: rates.waiting,
    errors_per_min: rates.errorsPerMinute,
  }
}

export function toState({ sentence, severity, notices }: ServerState) {
  return { sentence, severity, notices: notices.slice(0, 10) }
}

/**
 * Returns the event that reports a request to operators. `skipped` is the number of starts and first outputs that
 * were not sent before it, since there were too many.
 */
export function toRequestEvent(record: RequestRecord, skipped: number) {
  return {
    id: record.requestId,
    state: record.state,
    account: record.accountId ?? null,
    key: record.keyId ?? null,
    model: record.model ?? null,
    endpoint: record.endpoint ?? '',
    started: toTime(record.arrivedAtMs),
    first_output_ms: record.firstOutputMs ?? null,
    output_tokens: record.used?.completionTokens ?? null,
    status: record.status ?? null,
    code: record.code ?? null,
    cost_usd: record.costNanoUsd === undefined ? null : nanoToDecimal(record.costNanoUsd),
    ...(skipped > 0 && { skipped }),
  }
}

export type DownloadEvent = ReturnType<typeof toDownloadEvent>
export type LogLineOnPage = ReturnType<typeof toLogLine>

/** Returns the event that tells operators' pages of a download by the server. */
export function toDownloadEvent(download: Download) {
  const { model, state } = download
  const { doneBytes, totalBytes, rate = null, open } = progressOf(download)
  const error = downloadError(download) ?? null
  return { model, state, bytes: doneBytes, total: totalBytes, rate, trouble: open?.trouble ?? null, error }
}

export function toLogLine({
  atMs,
  level,
  text,
}: {
  readonly atMs: number
  readonly level: string
  readonly text: string
}) {
  return { at: toTime(atMs), level, text }
}
