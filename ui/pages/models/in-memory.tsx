import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { MachineBars } from '../../parts/memory/machine-bars.tsx'
import type { MachineSeen } from '../../parts/memory/use-machine.ts'
import { StateWord } from '../../parts/state-word.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type ActionsOf, ModelButtons } from './model-buttons.tsx'
import { type LiveModel, stateText } from './model-state.ts'

interface InMemoryProps {
  readonly seen: MachineSeen
  readonly models: readonly LiveModel[]
  readonly engines: ReadonlyMap<string, EngineEvent>
  readonly actionsOf: ActionsOf
}

/** Shows the machine's memory to scale, with the loaded models, their states and actions. */
export function InMemory({ seen, models, engines, actionsOf }: InMemoryProps) {
  const bars = [...seen.devices, ...(seen.machine === undefined ? [] : [seen.machine.memory])]
  if (bars.length === 0) return null
  const isEmpty = bars.every((bar) => bar.models.length === 0)
  const moreOf = (id: string) => {
    const model = models.find(({ row }) => row.id === id)
    // An engine that labels speakers belongs to its transcriber and is no model.
    if (model === undefined) return null
    const { tone, word, more } = stateText(model)
    return (
      <span class="memory-state">
        <StateWord tone={tone} word={word} />
        {more !== '' && <span class="muted">{more}</span>}
        <ModelButtons model={model} actionsOf={actionsOf} />
      </span>
    )
  }
  return (
    <section aria-labelledby="in-memory">
      <h2 id="in-memory">{texts.models.inMemory}</h2>
      <MachineBars {...seen} engines={engines} moreOf={moreOf} />
      {isEmpty && <p class="hint">{texts.models.nothingLoaded}</p>}
    </section>
  )
}
