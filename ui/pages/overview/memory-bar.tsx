import type { DeviceOnPage } from '../../../src/wire/pages/live.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { seriesOf } from '../../parts/series.ts'
import { nowMs } from '../../parts/time.tsx'
import { timeFromNow } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import { modelAddress } from '../models/model-table.tsx'
import { type Bar, type Segment, segmentsOf } from './segments.ts'

interface MemoryBarProps {
  readonly title: string
  readonly bar: Bar
  /** Of a device: its figures, and whether it answers. */
  readonly device?: DeviceOnPage
}

/** A memory as a bar of its whole length, and the same as a list, whose models lead to their pages. */
export function MemoryBar({ title, bar, device }: MemoryBarProps) {
  const segments = segmentsOf(bar)
  const isLost = device !== undefined && device.state !== 'ok'
  return (
    <section class={isLost ? 'memory lost' : 'memory'} aria-label={title}>
      <p class="memory-head">
        <b>{title}</b>
        {bar.total_bytes !== null && <span>{bytesText(bar.total_bytes)}</span>}
        {device !== undefined && !isLost && <span class="muted">{figuresOf(device)}</span>}
        {isLost && <span class="bad">▲ {texts.overview.lostSince(ageOf(device))}</span>}
      </p>
      <div class="memory-bar" aria-hidden="true">
        {segments.map((segment) => (
          <span
            key={`${segment.kind} ${segment.model ?? ''}`}
            class={classOf(segment)}
            style={{ flexGrow: segment.bytes }}
            title={segment.model ?? texts.overview[segment.kind]}
          />
        ))}
      </div>
      <ul class="memory-list">
        {bar.models.map(({ model, weights_bytes, cache_bytes, other_bytes, is_measured }) => {
          const size = bytesText(weights_bytes + cache_bytes + other_bytes)
          const { weights, cache, compute, estimated } = texts.overview
          const parts = [
            [weights, weights_bytes],
            [cache, cache_bytes],
            [compute, other_bytes],
          ] as const
          const shown = parts.filter(([, bytes]) => bytes > 0).map(([name, bytes]) => `${name} ${bytesText(bytes)}`)
          return (
            <li key={model}>
              <span class={`key series-${seriesOf(model)}`} aria-hidden="true" />
              <a href={modelAddress(model)}>{model}</a> {is_measured ? size : estimated(size)}
              {shown.length > 1 && <span class="muted"> ({shown.join(', ')})</span>}
            </li>
          )
        })}
        {segments
          .filter(({ model }) => model === undefined)
          .map(({ kind, bytes }) => (
            <li key={kind}>
              <span class={`key ${kind}`} aria-hidden="true" />
              {texts.overview[kind]} {bytesText(bytes)}
            </li>
          ))}
      </ul>
      {isLost && <p class="hint">{texts.overview.lostText}</p>}
    </section>
  )
}

function classOf({ kind, model, isMeasured }: Segment): string {
  const series = model === undefined ? '' : ` series-${seriesOf(model)}`
  return `segment ${kind}${series}${isMeasured ? '' : ' estimated'}`
}

function figuresOf({ temperature_c, power_w, load_percent, name }: DeviceOnPage): string {
  const { celsius, watts, percent } = texts.overview
  const parts = [
    name,
    temperature_c === null ? '' : celsius(temperature_c),
    power_w === null ? '' : watts(power_w),
    load_percent === null ? '' : percent(load_percent),
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function ageOf({ sample_at: at }: DeviceOnPage): string {
  return at === null ? texts.shared.never : timeFromNow(Date.parse(at), Math.max(nowMs.value, Date.now()))
}
