import type { ComponentChildren } from 'preact'
import type { DeviceOnPage, EngineEvent } from '../../../src/wire/pages/live.ts'
import { texts } from '../../texts/operator-texts.ts'
import { bytesText } from '../bytes-text.ts'
import { markOf, modelAddress } from '../model-mark.tsx'
import { nowMs } from '../time.tsx'
import { timeFromNow } from '../time-text.ts'
import { cacheShare } from './engine-load.ts'
import { MemoryList } from './memory-list.tsx'
import { type Bar, mergedSegments, type Segment, segmentsOf } from './segments.ts'

interface MemoryBarProps {
  readonly title: string
  readonly bar: Bar
  /** Device of this memory, with its figures. Undefined for host memory. */
  readonly device?: DeviceOnPage
  readonly engines: ReadonlyMap<string, EngineEvent>
  /** Returns more about a model, to be shown beside its name. Undefined if it is shown on another bar. */
  readonly moreOf: (model: string) => ComponentChildren
}

/** Draws one memory as a bar, with the same as a list with links to the models. */
export function MemoryBar({ title, bar, device, engines, moreOf }: MemoryBarProps) {
  const segments = segmentsOf(bar)
  const state = device?.state ?? 'ok'
  return (
    <section class={state === 'ok' ? 'memory' : `memory ${state}`} aria-label={title}>
      <p class="memory-head">
        <b>{title}</b>
        {device !== undefined && device.name !== device.id && <span>{device.name}</span>}
        {bar.total_bytes !== null && <Total bytes={bar.total_bytes} isDevice={device !== undefined} />}
        {device !== undefined && state === 'ok' && <span class="muted figures-of">{figuresOf(device)}</span>}
        {device !== undefined && state !== 'ok' && <span class="bad figures-of">▲ {silenceOf(device)}</span>}
      </p>
      <div class="memory-bar" aria-hidden="true">
        {mergedSegments(segments).map((segment) => (
          <SegmentShape key={`${segment.kind} ${segment.model ?? ''}`} segment={segment} engines={engines} />
        ))}
      </div>
      <MemoryList {...{ title, bar, segments, engines, moreOf }} />
      {state !== 'ok' && <p class="hint">{texts.overview.silentTexts[state]}</p>}
    </section>
  )
}

/** Shows a size. A device's title has it in MiB, as the driver counts. */
function Total({ bytes, isDevice }: { readonly bytes: number; readonly isDevice: boolean }) {
  return (
    <span title={isDevice ? texts.overview.mebibytes(Math.round(bytes / 2 ** 20)) : undefined}>{bytesText(bytes)}</span>
  )
}

interface SegmentShapeProps {
  readonly segment: Segment
  readonly engines: ReadonlyMap<string, EngineEvent>
}

function SegmentShape({ segment, engines }: SegmentShapeProps) {
  const { kind, model, bytes, isMeasured, weightsBytes, cacheBytes, merged } = segment
  const title = `${nameOf(segment)} ${bytesText(bytes)}`
  const grow = { flexGrow: bytes }
  if (kind === 'several') {
    const names = merged.map((each) => `${nameOf(each)} ${bytesText(each.bytes)}`).join(', ')
    return (
      <span class="segment several" style={grow} title={names}>
        +{merged.length}
      </span>
    )
  }
  if (model === undefined) {
    return (
      <span class={`segment ${kind}`} style={grow} title={title}>
        {kind === 'free' && <span class="segment-label">{title}</span>}
      </span>
    )
  }
  const engine = engines.get(model)
  const share = engine === undefined ? undefined : cacheShare(engine)
  // A model without a breakdown, for example while it loads, is one block.
  const isTold = weightsBytes + cacheBytes > 0
  const rest = isTold ? bytes - weightsBytes - cacheBytes : 0
  const isLoading = engine?.state === 'starting'
  return (
    <a
      class={`segment model ${markOf(model)}${isMeasured ? '' : ' estimated'}${isLoading ? ' loading' : ''}`}
      style={grow}
      title={title}
      href={modelAddress(model)}
      tabIndex={-1}
    >
      <span class="part weights" style={{ flexGrow: isTold ? weightsBytes : bytes }}>
        <span class="segment-label">{model.split('/').at(-1)}</span>
      </span>
      {cacheBytes > 0 && (
        <span class="part cache" style={{ flexGrow: cacheBytes }}>
          <span
            class={share === undefined ? 'cells unknown' : 'cells'}
            style={{ inlineSize: `${(share ?? 1) * 100}%` }}
          />
        </span>
      )}
      {rest > 0 && <span class="part compute" style={{ flexGrow: rest }} />}
    </a>
  )
}

function nameOf({ kind, model }: Segment): string {
  return model ?? texts.overview.kinds[kind]
}

function figuresOf({ temperature_c, power_w, load_percent }: DeviceOnPage): string {
  const { celsius, watts, percent } = texts.overview
  const parts = [
    temperature_c === null ? '' : celsius(temperature_c),
    power_w === null ? '' : watts(power_w),
    load_percent === null ? '' : percent(load_percent),
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

/** Returns the text on how long the device has been silent. */
function silenceOf({ state, sample_at: at }: DeviceOnPage): string {
  if (at === null) return texts.overview.neverAnswered
  const age = timeFromNow(Date.parse(at), Math.max(nowMs.value, Date.now()))
  return state === 'lost' ? texts.overview.lostSince(age) : texts.overview.silentSince(age)
}
