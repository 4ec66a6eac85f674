import type { ComponentChildren } from 'preact'
import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { texts } from '../../texts/operator-texts.ts'
import { MemoryBar } from './memory-bar.tsx'
import type { MachineSeen } from './use-machine.ts'

interface MachineBarsProps extends MachineSeen {
  readonly engines: ReadonlyMap<string, EngineEvent>
  /** Returns more about a model. It is shown on the first bar that holds a part of the model. */
  readonly moreOf: (model: string) => ComponentChildren
  /** Shows only bars that hold a part of this model. */
  readonly only?: string
}

/** Draws the memory of each device and of the machine to scale. */
export function MachineBars({ machine, devices, engines, moreOf, only }: MachineBarsProps) {
  const words = texts.overview
  const bars = [
    ...devices.map((device) => ({ title: words.gpu(device.id), bar: device, device })),
    ...(machine === undefined ? [] : [{ title: words.memory, bar: machine.memory }]),
  ]
  const homes = new Map(bars.toReversed().flatMap(({ bar }) => bar.models.map(({ model }) => [model, bar.id] as const)))
  const shown = only === undefined ? bars : bars.filter(({ bar }) => bar.models.some(({ model }) => model === only))
  return (
    <>
      {shown.map((each) => (
        <MemoryBar
          key={each.bar.id}
          {...{ ...each, engines }}
          moreOf={(model) => (homes.get(model) === each.bar.id ? moreOf(model) : undefined)}
        />
      ))}
      {shown.some(({ bar }) => bar.models.length > 0) && <MemoryLegend />}
    </>
  )
}

/** Explains the parts of a model in a bar. */
function MemoryLegend() {
  const { legend } = texts.overview
  const parts = Object.entries(legend)
  return (
    <p class="memory-legend">
      {parts.map(([part, word]) => (
        <span key={part}>
          <span class={`key part-key ${part}`} aria-hidden="true" />
          {word}
        </span>
      ))}
    </p>
  )
}
