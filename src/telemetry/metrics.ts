/**
 * Metrics of the server in Prometheus's form. No label is a key, an account or a request, since their number is
 * unlimited.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { EndpointState } from '../core/endpoint-state.ts'
import type { MachinePicture, MemoryBar } from '../core/live.ts'
import type { RequestRecord } from '../core/request-record.ts'
import type { JudgedBackend } from '../engines/protocol/backend.ts'
import { EndpointMetrics } from './endpoint-metrics.ts'
import type { RecentRequests } from './recent-requests.ts'
import { stepMetricsText } from './step-metrics.ts'
import type { Telemetry } from './telemetry.ts'

interface Receiver {
  readonly name: string
  readonly sent: number
  readonly dropped: number
}

interface MetricsOptions {
  readonly version: string
  readonly telemetry: Telemetry
  readonly requests: RecentRequests
  /** Returns the endpoints of upstream models. */
  readonly endpoints: () => readonly EndpointState[]
  /** Returns the backends of engines that were probed. */
  readonly backends?: () => readonly JudgedBackend[]
  /** Returns the state of each receiver of records. */
  readonly receivers?: () => readonly Receiver[]
  /** Registry of the metrics. Defaults to a new one. */
  readonly registry?: Registry
}

/** Upper bounds of duration buckets in seconds. */
const durations = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const waits = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export class Metrics {
  readonly #registry: Registry
  readonly #telemetry: Telemetry
  #watchesProcess = false
  readonly #requests: ReturnType<typeof requestMetrics>
  readonly #engines: ReturnType<typeof engineGauges>
  readonly #machine: ReturnType<typeof machineGauges>
  readonly #upstream: EndpointMetrics
  readonly #endpoints: () => readonly EndpointState[]

  readonly #judged: () => readonly JudgedBackend[]
  readonly #backends: Gauge<'engine' | 'backend' | 'reason'>
  readonly #receivers: () => readonly Receiver[]
  readonly #shipped: Counter<'receiver' | 'result'>

  constructor({
    version,
    telemetry,
    requests,
    endpoints,
    backends = () => [],
    receivers = () => [],
    registry = new Registry(),
  }: MetricsOptions) {
    this.#registry = registry
    this.#judged = backends
    this.#telemetry = telemetry
    this.#endpoints = endpoints
    const registers = [this.#registry]
    const build = new Gauge({
      name: 'inferd_build_info',
      help: 'Always 1; its label is the version.',
      labelNames: ['version'],
      registers,
    })
    build.set({ version }, 1)
    this.#requests = requestMetrics(registers)
    this.#engines = engineGauges(registers)
    this.#machine = machineGauges(registers)
    this.#upstream = new EndpointMetrics(registers)
    this.#backends = new Gauge({
      name: 'inferd_backend_computes',
      help: '1 where the backend of an engine computes on this machine, 0 where it was tried and does not.',
      labelNames: ['engine', 'backend', 'reason'],
      registers,
    })
    this.#receivers = receivers
    this.#shipped = new Counter({
      name: 'inferd_shipped_records_total',
      help: 'Records for receivers outside that were sent, or dropped because too many waited or they were refused.',
      labelNames: ['receiver', 'result'],
      registers,
    })
    requests.onEnd((record) => this.#count(record))
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Returns all metrics as text. Samples the machine, which takes up to 3 seconds if a driver hangs. */
  async text(): Promise<string> {
    await this.#collect()
    return (await this.#registry.metrics()) + stepMetricsText(this.#telemetry.models())
  }

  /** Returns all metrics, except those of steps, in prom-client's JSON. */
  async json() {
    await this.#collect()
    return this.#registry.getMetricsAsJSON()
  }

  async #collect(): Promise<void> {
    // Process metrics are collected once they are requested, since they take a timer, and 40 ms of the start.
    if (!this.#watchesProcess) collectDefaultMetrics({ register: this.#registry })
    this.#watchesProcess = true
    this.#setEngines()
    this.#setBackends()
    this.#setShipped()
    this.#upstream.set(this.#endpoints())
    const picture = await this.#telemetry.machine.now()
    if (picture !== undefined) this.#setMachine(picture)
  }

  #setShipped(): void {
    this.#shipped.reset()
    for (const { name: receiver, sent, dropped } of this.#receivers()) {
      this.#shipped.inc({ receiver, result: 'sent' }, sent)
      this.#shipped.inc({ receiver, result: 'dropped' }, dropped)
    }
  }

  #setBackends(): void {
    this.#backends.reset()
    for (const { kind: engine, id: backend, verdict } of this.#judged()) {
      if (verdict.state === 'computes') this.#backends.set({ engine, backend, reason: '' }, 1)
      if (verdict.state === 'fails') this.#backends.set({ engine, backend, reason: verdict.reason }, 0)
    }
  }

  #count({
    model = '',
    endpoint = '',
    status = 0,
    durationMs,
    firstOutputMs,
    used,
    queuedMs,
    loadingMs,
    costNanoUsd,
    isEstimated,
  }: RequestRecord): void {
    const { requests, duration, firstOutput, wait, tokens, characters, audio, images, cost, estimated } = this.#requests
    requests.inc({ model, endpoint, status })
    duration.observe({ model }, durationMs / 1000)
    if (firstOutputMs !== undefined) firstOutput.observe({ model }, firstOutputMs / 1000)
    const waitedMs = loadingMs ?? queuedMs
    if (waitedMs !== undefined) wait.observe({ model }, waitedMs / 1000)
    if (costNanoUsd !== undefined) cost.inc({ model }, costNanoUsd / 1e9)
    if (isEstimated) estimated.inc({ model })
    if (used === undefined) return
    const { promptTokens, cachedTokens, completionTokens } = used
    if (promptTokens > cachedTokens) tokens.inc({ model, kind: 'prompt' }, promptTokens - cachedTokens)
    if (cachedTokens > 0) tokens.inc({ model, kind: 'cached' }, cachedTokens)
    if (completionTokens > 0) tokens.inc({ model, kind: 'output' }, completionTokens)
    if (used.characters > 0) characters.inc({ model }, used.characters)
    if (used.audioMs > 0) audio.inc({ model }, used.audioMs / 1000)
    if (used.images > 0) images.inc({ model }, used.images)
  }

  #setEngines(): void {
    const { up, running, waiting, restarts, cache, drafted, accepted, load } = this.#engines
    // Reset all, since the engines count themselves, and an unloaded engine has no cache.
    for (const metric of Object.values(this.#engines)) metric.reset()
    for (const engine of this.#telemetry.models()) {
      const { modelId: model } = engine
      up.set({ model }, engine.info === undefined ? 0 : 1)
      running.set({ model }, engine.running)
      waiting.set({ model }, engine.waiting)
      restarts.inc({ model }, engine.restarts)
      for (const [phase, ms] of Object.entries(engine.loadTimes ?? {})) load.set({ model, phase }, ms / 1000)
      if (engine.cacheTokens !== undefined) cache.set({ model }, engine.cacheTokens)
      if (engine.draftedTokens !== undefined) drafted.inc({ model }, engine.draftedTokens)
      if (engine.acceptedTokens !== undefined) accepted.inc({ model }, engine.acceptedTokens)
    }
  }

  #setMachine({ devices, memory, disk }: MachinePicture): void {
    const gauges = this.#machine
    for (const gauge of Object.values(gauges)) gauge.reset()
    this.#setMemory(memory)
    for (const device of devices) {
      const { id, state, loadPercent, temperatureC, powerW } = device
      gauges.deviceUp.set({ device: id }, state === 'ok' ? 1 : 0)
      // A device that does not answer has only old figures.
      if (state !== 'ok') continue
      this.#setMemory(device)
      if (loadPercent !== undefined) gauges.load.set({ device: id }, loadPercent / 100)
      if (temperatureC !== undefined) gauges.temperature.set({ device: id }, temperatureC)
      if (powerW !== undefined) gauges.power.set({ device: id }, powerW)
    }
    if (disk === undefined) return
    gauges.diskFree.set(disk.freeBytes)
    gauges.diskSize.set(disk.totalBytes)
  }

  #setMemory({ id: device, totalBytes, freeBytes, models }: MemoryBar): void {
    const { memorySize, memoryFree, modelMemory } = this.#machine
    if (totalBytes !== undefined) memorySize.set({ device }, totalBytes)
    if (freeBytes !== undefined) memoryFree.set({ device }, freeBytes)
    for (const { model, weightsBytes, cacheBytes, otherBytes } of models) {
      modelMemory.set({ device, model }, weightsBytes + cacheBytes + otherBytes)
    }
  }
}

type Registers = Registry[]
const perModel = ['model'] as const
const perDevice = ['device'] as const

function requestMetrics(registers: Registers) {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, labelNames: perModel, registers })
  return {
    requests: counter('inferd_requests_total', 'Requests to models that have ended.', ['model', 'endpoint', 'status']),
    duration: histogram('inferd_request_duration_seconds', 'From the arrival of a request to its end.', durations),
    firstOutput: histogram('inferd_first_output_seconds', 'From the arrival of a request to its first output.', waits),
    wait: histogram('inferd_request_wait_seconds', 'From the arrival of a request to its start in the engine.', waits),
    tokens: counter('inferd_tokens_total', 'Tokens of requests: computed of prompts, cached of prompts, of outputs.', [
      'model',
      'kind',
    ]),
    characters: counter('inferd_speech_characters_total', 'Characters that were spoken.', perModel),
    audio: counter('inferd_transcribed_audio_seconds_total', 'Audio that was transcribed.', perModel),
    images: counter('inferd_generated_images_total', 'Pictures that were made.', perModel),
    cost: counter('inferd_cost_usd_total', 'What requests were worth at their prices, charged or not.', perModel),
    estimated: counter(
      'inferd_estimated_requests_total',
      'Requests whose use was not counted, but estimated.',
      perModel,
    ),
  }
}

function engineGauges(registers: Registers) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: perModel, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames: perModel, registers })
  return {
    up: gauge('inferd_model_loaded', '1 while the model is loaded.'),
    running: gauge('inferd_requests_running', 'Requests that the engine works on.'),
    waiting: gauge('inferd_requests_waiting', 'Requests that wait for the engine.'),
    restarts: counter('inferd_engine_restarts_total', 'Starts of the engine after its first one.'),
    load: new Gauge({
      name: 'inferd_model_load_seconds',
      help: 'How long each phase of the last load took.',
      labelNames: ['model', 'phase'],
      registers,
    }),
    cache: gauge('inferd_cache_tokens', 'Tokens in the KV cache of the engine.'),
    drafted: counter('inferd_draft_tokens_total', 'Tokens that the engine proposed in answers since it was loaded.'),
    accepted: counter('inferd_draft_tokens_accepted_total', 'Proposed tokens that became a part of an answer.'),
  }
}

function machineGauges(registers: Registers) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers })
  return {
    deviceUp: gauge('inferd_device_up', '1 while the device answers.', perDevice),
    load: gauge('inferd_device_load_ratio', 'How busy the device is, 0 to 1.', perDevice),
    temperature: gauge('inferd_device_temperature_celsius', 'Temperature of the device.', perDevice),
    power: gauge('inferd_device_power_watts', 'Power that the device draws.', perDevice),
    memorySize: gauge('inferd_memory_size_bytes', 'Memory of the device, or of the machine (host).', perDevice),
    memoryFree: gauge('inferd_memory_free_bytes', 'What of it is free.', perDevice),
    modelMemory: gauge('inferd_model_memory_bytes', 'What the model has of it.', ['device', 'model'] as const),
    diskFree: gauge('inferd_disk_free_bytes', 'Free room on the disk of the data folder.', []),
    diskSize: gauge('inferd_disk_size_bytes', 'Size of the disk of the data folder.', []),
  }
}
