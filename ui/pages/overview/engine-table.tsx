import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { asFailure } from '../../api/failure.ts'
import { perform } from '../../api/operation.ts'
import { alarm, announce } from '../../parts/announce.tsx'
import { Empty } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { engineLoad } from '../../parts/memory/engine-load.ts'
import { MarkedName } from '../../parts/model-mark.tsx'
import { numberText } from '../../parts/number-text.ts'
import { StateWord } from '../../parts/state-word.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { engineTones } from '../models/model-state.ts'

/** Lists running engines. A row leads to the page of its model. */
export function EngineTable({ engines }: { readonly engines: readonly EngineEvent[] }) {
  if (engines.length === 0) {
    return (
      <Empty text={texts.overview.enginesEmpty}>
        <a class="button" href="/admin/models">
          {texts.overview.toModels}
        </a>
      </Empty>
    )
  }
  const { columns: titles } = texts.overview
  return (
    <Table
      caption={texts.overview.engines}
      columns={[
        {
          title: titles.model,
          cell: ({ model }) => <MarkedName id={model} />,
        },
        { title: titles.state, cell: stateCell },
        {
          ...{ title: titles.slots, isNumber: true },
          cell: (engine) => {
            const { running } = engineLoad(engine)
            return engine.parallel === null || engine.parallel === 0 ? running : `${running}/${engine.parallel}`
          },
        },
        { title: titles.queue, isNumber: true, cell: (engine) => engineLoad(engine).waiting },
        { title: titles.output, isNumber: true, cell: ({ output_tokens_per_s: rate }) => numberText(rate) },
        { title: titles.since, cell: ({ since }) => <Time at={since} /> },
        {
          ...{ title: titles.actions, isOptional: true },
          cell: (engine) =>
            engine.state === 'failed' ? (
              <May perform="engines-restart">
                <Restart {...engine} />
              </May>
            ) : null,
        },
      ]}
      rows={engines}
      rowKey={({ model }) => model}
    />
  )
}

function stateCell({ state, load_progress: progress, is_compiling: isCompiling, last_failure: failure }: EngineEvent) {
  const { states } = texts.models
  const word = state === 'starting' && progress !== null ? states.loading(Math.round(progress * 100)) : states[state]
  return (
    <>
      <StateWord tone={engineTones[state]} word={word} />
      {isCompiling && <span class="sub">{texts.models.compiling}</span>}
      {state === 'failed' && failure !== null && <span class="sub">{failure.reason.split('\n')[0]}</span>}
    </>
  )
}

function Restart({ model }: EngineEvent) {
  const restart = async () => {
    try {
      await perform('engines-restart', { model })
      announce(texts.models.restarted(model))
    } catch (error) {
      alarm(texts.models.failedFor(model, asFailure(error).message))
    }
  }
  return (
    <button type="button" class="small" onClick={() => void restart()}>
      {texts.models.restart} <span class="unseen">{model}</span>
    </button>
  )
}
