/** Models that the server offers, by type, with prices and states. */
import type { ModelPurpose } from '../../../src/core/model.ts'
import type { ModelObject } from '../../../src/wire/models.ts'
import { status } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { ModelMark } from '../../parts/model-mark.tsx'
import { Page } from '../../parts/page.tsx'
import { abilitiesOf } from '../../parts/play/abilities.ts'
import { type LoadingModel, ServedState, useLoading } from '../../parts/play/model-state.tsx'
import { isTiny } from '../../parts/play/play-models.ts'
import { priceText } from '../../parts/play/price-text.ts'
import { tryAddress } from '../../parts/play/try-address.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { texts } from '../../texts/texts.ts'

const { ownModels } = texts

const purposes = Object.keys(texts.shared.purposes) as ModelPurpose[]

function purposeOf({ type, capabilities }: ModelObject): ModelPurpose {
  return type === 'stt' && capabilities.diarization === true ? 'diarization' : type
}

export default function OwnModels() {
  const models = useAnswer<{ readonly data: readonly ModelObject[] }>('/dashboard/v1/models')
  const loading = useLoading()
  const isOperator = status.value?.role === 'operator'
  return (
    <Page title={ownModels.title} intro={ownModels.intro}>
      <Loaded answer={models} lines={8}>
        {({ data }) => {
          const rows = data.filter(({ id, canonical }) => id === canonical)
          const absent = rows.filter(({ status }) => status === 'available' || status === 'downloading')
          const present = rows.filter((row) => !absent.includes(row))
          return (
            <div class="stack">
              {present.length === 0 && (
                <Empty text={isOperator ? ownModels.noneHere : ownModels.noneHereAsk}>
                  {isOperator && (
                    <a class="button primary" href="/admin/models">
                      {texts.play.getModel}
                    </a>
                  )}
                </Empty>
              )}
              <ModelsByType rows={present} loading={loading} />
              {absent.length > 0 && (
                <details>
                  <summary>{ownModels.absent(absent.length)}</summary>
                  <div class="stack">
                    <ModelsByType rows={absent} loading={[]} />
                  </div>
                </details>
              )}
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}

interface ModelsProps {
  readonly rows: readonly ModelObject[]
  readonly loading: readonly LoadingModel[] | undefined
}

function ModelsByType({ rows, loading }: ModelsProps) {
  if (rows.length === 0) return null
  const { columns: titles } = ownModels
  const columns: readonly (Column<ModelObject> | false)[] = [
    { title: titles.model, cell: (row) => <Name row={row} /> },
    rows.some((row) => abilities(row).length > 0) && {
      title: titles.can,
      cell: (row) => abilities(row).join(', '),
    },
    rows.some((row) => row.context_length !== undefined) && {
      title: titles.context,
      isNumber: true,
      cell: ({ context_length: length }) =>
        length === undefined ? null : ownModels.tokens(length.toLocaleString('en')),
    },
    { title: titles.price, cell: priceText },
    { title: titles.status, cell: (row) => <ServedState model={row} loading={loading} /> },
    {
      title: titles.actions,
      cell: (row) => {
        const address = row.status === 'ready' ? tryAddress(row) : undefined
        return (
          <span class="row actions-of-row">
            {address !== undefined && (
              <a class="button small" href={address}>
                {ownModels.tryIt} <span class="unseen">{row.id}</span>
              </a>
            )}
            <CopyButton text={row.id} what={`${ownModels.id} ${row.id}`} />
          </span>
        )
      },
    },
  ]
  return (
    <Table
      caption={ownModels.title}
      columns={columns.filter((column) => column !== false)}
      rows={purposes.flatMap((purpose) => rows.filter((row) => purposeOf(row) === purpose))}
      rowKey={({ id }) => id}
      groupOf={(row) => texts.shared.purposes[purposeOf(row)]}
    />
  )
}

function Name({ row: { id, aliases } }: { readonly row: ModelObject }) {
  return (
    <>
      <span class="marked-name">
        <ModelMark id={id} />
        <b class="breaks">{id}</b>
      </span>
      <span class="sub">
        {isTiny({ id }) && <span class="badge">{texts.play.tiny}</span>}
        {aliases.length > 0 && <span>{ownModels.aliases(aliases.join(', '))}</span>}
      </span>
    </>
  )
}

/** Returns the model's capabilities and sizes in words. */
function abilities({ capabilities, dimensions, voices, languages }: ModelObject): string[] {
  return [
    ...abilitiesOf({ capabilities }),
    ...(dimensions === undefined ? [] : [ownModels.dimensions(dimensions)]),
    ...(voices === undefined ? [] : [ownModels.voices(voices.length)]),
    ...(languages === undefined ? [] : [ownModels.languages(languages.length)]),
  ]
}
