import { useEffect, useRef } from 'preact/hooks'
import type { OperationJson } from '../../../../src/operations/money-text.ts'
import { offlineSinceMs } from '../../../api/connection.ts'
import { useResult } from '../../../api/operation.ts'
import type { Asked } from '../../../api/use-asked.ts'
import { FailureBox } from '../../../parts/failure-box.tsx'
import { Field } from '../../../parts/field.tsx'
import { Placeholder } from '../../../parts/loaded.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import { texts } from '../../../texts/get-texts.ts'

type Found = OperationJson<'hub-search'>
type Repository = Found['repositories'][number]

interface HubTabProps {
  readonly search: Asked<string, Found>
  readonly onChoose: (repository: string) => void
  readonly onDisk: () => void
}

const repositoryPattern = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/

/** Searches the hub at Enter or the button, and never while somebody types. */
export function HubTab({ search, onChoose, onDisk }: HubTabProps) {
  const host = useResult('hub-show', {}).data?.host ?? texts.getModel.hub
  const words = texts.getModel
  const { input = '', data, failure, isLoading } = search
  const form = useRef<HTMLFormElement>(null)
  // The browser focuses the first field of a dialog at its opening alone.
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement) || isLoading) return
    const typed = String(new FormData(event.currentTarget).get('words') ?? '').trim()
    if (typed !== '') void search.ask(typed)
  }
  return (
    <div class="stack">
      <form class="hub-search" ref={form} onSubmit={send}>
        <Field
          {...{ label: words.searchField(host), name: 'words', type: 'search' }}
          {...{ maxLength: 200, defaultValue: input, required: true }}
        />
        <button
          type="submit"
          class="primary"
          aria-busy={isLoading}
          disabled={isLoading || offlineSinceMs.value !== undefined}
        >
          {words.search}
        </button>
        <p class="hint">{words.searchHint(host)}</p>
      </form>
      {isLoading && <Placeholder lines={4} />}
      {failure !== undefined && (
        <>
          <FailureBox failure={failure} onRetry={() => search.ask(input)} />
          <p>
            {words.offline}{' '}
            <button type="button" class="small" onClick={onDisk}>
              {words.toDisk}
            </button>
          </p>
        </>
      )}
      {data !== undefined && <Results found={data} asked={input} onChoose={onChoose} />}
    </div>
  )
}

interface ResultsProps {
  readonly found: Found
  readonly asked: string
  readonly onChoose: (repository: string) => void
}

function Results({ found: { host, repositories }, asked, onChoose }: ResultsProps) {
  const words = texts.getModel
  const { columns: titles } = words
  const isNamed = repositoryPattern.test(asked) && !repositories.some(({ id }) => id === asked)
  return (
    <section class="stack">
      {isNamed && (
        <p>
          <button type="button" onClick={() => onChoose(asked)}>
            {words.chooseNamed(asked)}
          </button>
        </p>
      )}
      {repositories.length === 0 && <p class="muted">{words.none(asked)}</p>}
      {repositories.length > 0 && (
        <Table
          caption={words.results(repositories.length, host)}
          columns={[
            { title: titles.repository, cell: nameCell },
            {
              ...{ title: titles.downloads, isNumber: true },
              cell: ({ downloads }) => downloads?.toLocaleString('en') ?? '',
            },
            { title: titles.changed, cell: ({ changedMs }) => (changedMs === null ? '' : <Time at={changedMs} />) },
            {
              title: titles.actions,
              cell: ({ id }) => (
                <button type="button" class="small" onClick={() => onChoose(id)}>
                  {words.choose} <span class="unseen">{id}</span>
                </button>
              ),
            },
          ]}
          rows={repositories}
          rowKey={({ id }) => id}
        />
      )}
    </section>
  )
}

function nameCell({ id, type, license, isGated }: Repository) {
  return (
    <>
      <span class="breaks">{id}</span>
      <span class="sub">
        {type !== null && <span>{type}</span>}
        {license !== null && <span>{license}</span>}
        {isGated && <span class="badge">{texts.getModel.gated}</span>}
      </span>
    </>
  )
}
