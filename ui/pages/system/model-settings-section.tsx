import type { OperationJson } from '../../../src/operations/money-text.ts'
import { useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Select } from '../../parts/select.tsx'
import { Table } from '../../parts/table.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/system-texts.ts'
import { ModelSettingsDialog } from './model-settings-dialog.tsx'

type Row = OperationJson<'model-settings-list'>['models'][number]

/** Lists the models that have settings of their own, and changes those of any model. The address names the open one. */
export function ModelSettingsSection() {
  const answer = useResult('model-settings-list', {})
  const words = texts.system
  const changing = place.value.query.get('model') ?? undefined
  const open = (model: string | undefined) => setQuery({ model })
  return (
    <section class="stack">
      <h2>{words.models}</h2>
      <p>{words.modelSettingsText}</p>
      <Loaded answer={answer}>
        {({ models }) => {
          const set = models.filter(({ own }) => Object.keys(own).length > 0)
          const others = models.filter(({ own }) => Object.keys(own).length === 0)
          return (
            <div class="stack">
              {set.length > 0 && <SetModels rows={set} onChange={open} />}
              <div class="toolbar">
                <Select
                  label={words.otherModel}
                  value=""
                  choices={{
                    '': words.chooseModel,
                    ...Object.fromEntries(others.map(({ model }) => [model, model])),
                  }}
                  order={['', ...byPresence(others).map(({ model }) => model)]}
                  onChange={(model) => model !== '' && open(model)}
                />
              </div>
            </div>
          )
        }}
      </Loaded>
      {changing !== undefined && (
        <ModelSettingsDialog
          model={changing}
          onClose={() => open(undefined)}
          onChanged={async () => {
            announce(words.modelSettingsWritten(changing))
            await answer.reload()
          }}
        />
      )}
    </section>
  )
}

function SetModels({ rows, onChange }: { readonly rows: readonly Row[]; readonly onChange: (model: string) => void }) {
  const words = texts.system
  return (
    <Table
      caption={words.models}
      rows={rows}
      rowKey={({ model }) => model}
      columns={[
        { title: words.model, cell: ({ model }) => <b>{model}</b> },
        {
          title: words.ownSettings,
          cell: ({ own }) =>
            Object.entries(own).map(([key, value]) => (
              <div key={key}>
                <code class="breaks">
                  {key} = {String(value)}
                </code>
              </div>
            )),
        },
        { title: words.stateOfModel, cell: ({ isLoaded }) => (isLoaded ? words.modelLoaded : words.modelNotLoaded) },
        {
          title: words.action,
          cell: ({ model }) => (
            <May perform="model-settings-set">
              <button
                type="button"
                class="small"
                aria-label={words.changeSetting(model)}
                onClick={() => onChange(model)}
              >
                {words.change}
              </button>
            </May>
          ),
        },
      ]}
    />
  )
}

/** Returns the models of this disk first. */
function byPresence(rows: readonly Row[]): Row[] {
  return rows.toSorted((left, right) => Number(right.isHere) - Number(left.isHere))
}
