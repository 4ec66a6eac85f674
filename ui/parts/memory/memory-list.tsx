import type { ComponentChildren } from 'preact'
import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { texts } from '../../texts/operator-texts.ts'
import { bytesText } from '../bytes-text.ts'
import { ModelMark, modelAddress } from '../model-mark.tsx'
import { cacheShare } from './engine-load.ts'
import type { Bar, Segment } from './segments.ts'

interface MemoryListProps {
  readonly title: string
  readonly bar: Bar
  readonly segments: readonly Segment[]
  readonly engines: ReadonlyMap<string, EngineEvent>
  readonly moreOf: (model: string) => ComponentChildren
}

/** Shows the bar in words. A model whose home is this bar has a line with its parts and with more about it. */
export function MemoryList({ title, bar, segments, engines, moreOf }: MemoryListProps) {
  const whole = bar.total_bytes === null ? '' : texts.overview.ofWhole(bytesText(bar.total_bytes))
  return (
    <ul class="memory-list" aria-label={title}>
      {segments.map((segment) => {
        const { kind, model, bytes } = segment
        if (model === undefined) {
          return (
            <li key={kind}>
              <span class={`key ${kind}`} aria-hidden="true" />
              {texts.overview.kinds[kind]} {bytesText(bytes)}
              <span class="unseen">{whole}</span>
            </li>
          )
        }
        const engine = engines.get(model)
        const more = moreOf(model)
        const isHome = more !== undefined
        return (
          <li key={model} class={isHome ? 'memory-model' : ''}>
            <span class="memory-name">
              <ModelMark id={model} isEstimated={!segment.isMeasured} />
              <a href={modelAddress(model)}>{model}</a> {sizeText(segment)}
              <span class="unseen">{whole}</span>
              {isHome && engine !== undefined && <Parts segment={segment} engine={engine} />}
            </span>
            {more}
          </li>
        )
      })}
    </ul>
  )
}

function sizeText({ bytes, isMeasured }: Segment): string {
  return isMeasured ? texts.overview.used(bytesText(bytes)) : texts.overview.estimated(bytesText(bytes))
}

function Parts({ segment, engine }: { readonly segment: Segment; readonly engine: EngineEvent }) {
  const { bytes, weightsBytes, cacheBytes } = segment
  if (weightsBytes + cacheBytes === 0) return null
  const { weights, cache, compute, inUse } = texts.overview
  const share = cacheShare(engine)
  const rest = bytes - weightsBytes - cacheBytes
  const used = share === undefined ? '' : ` ${inUse(Math.round(share * 100))}`
  const parts = [
    weightsBytes > 0 ? `${weights} ${bytesText(weightsBytes)}` : '',
    cacheBytes > 0 ? `${cache} ${bytesText(cacheBytes)}${used}` : '',
    rest > 0 ? `${compute} ${bytesText(rest)}` : '',
  ]
  return (
    <span class="sub">
      {parts
        .filter((part) => part !== '')
        .map((part) => (
          <span key={part}>{part}</span>
        ))}
    </span>
  )
}
