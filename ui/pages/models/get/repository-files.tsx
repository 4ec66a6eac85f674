import { useEffect, useRef, useState } from 'preact/hooks'
import type { OperationJson } from '../../../../src/operations/money-text.ts'
import type { Asked } from '../../../api/use-asked.ts'
import { bytesText } from '../../../parts/bytes-text.ts'
import { FailureBox } from '../../../parts/failure-box.tsx'
import { Figures } from '../../../parts/figures.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Placeholder } from '../../../parts/loaded.tsx'
import { type StateTone, StateWord } from '../../../parts/state-word.tsx'
import { Table } from '../../../parts/table.tsx'
import { texts } from '../../../texts/get-texts.ts'
import { fitText } from '../model-state.ts'
import type { PullAsked } from './download-dialog.tsx'

type Files = OperationJson<'hub-files'>
type OfferedModel = Files['models'][number]

interface RepositoryFilesProps {
  readonly files: Asked<string, Files>
  readonly repository: string
  readonly onChoose: (asked: PullAsked) => void
}

/** Shows the models of a repository: each quantization with its size, and whether it fits. */
export function RepositoryFiles({ files, repository, onChoose }: RepositoryFilesProps) {
  const { data, failure, isLoading, ask, clear } = files
  const title = useRef<HTMLHeadingElement>(null)
  // The chosen row is gone, and the focus with it.
  useEffect(() => title.current?.focus(), [])
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="small quiet" onClick={clear}>
          <Icon name="chevron-left" /> {texts.getModel.back}
        </button>
        <h3 class="breaks" tabIndex={-1} ref={title}>
          {repository}
        </h3>
      </div>
      {isLoading && <Placeholder lines={5} />}
      {failure !== undefined && <FailureBox failure={failure} onRetry={() => ask(repository)} />}
      {data !== undefined && <Models shown={data} onChoose={onChoose} />}
    </div>
  )
}

interface ModelsProps {
  readonly shown: Files
  readonly onChoose: (asked: PullAsked) => void
}

function Models({ shown, onChoose }: ModelsProps) {
  const { repository, page, projector, models, leftOut } = shown
  const { type, isGated } = repository
  const [hasProjector, setHasProjector] = useState(projector !== null)
  const words = texts.getModel
  const { fileColumns: titles } = words
  return (
    <>
      <Figures items={[...factsOf(repository), [words.page, <Page key="page" address={page} />]]} />
      {isGated && <p class="warn">{words.gatedText}</p>}
      {type !== null && type !== 'chat' && type !== 'vision' && <p class="warn">{words.otherType(type)}</p>}
      {projector !== null && (
        <label class="check">
          <input
            type="checkbox"
            checked={hasProjector}
            onChange={({ currentTarget }) => setHasProjector(currentTarget.checked)}
          />{' '}
          {words.projector(projector.bytes === null ? '' : bytesText(projector.bytes))}
        </label>
      )}
      {models.length === 0 ? (
        <p class="muted">{words.noModels}</p>
      ) : (
        <Table
          caption={repository.id}
          columns={[
            { title: titles.name, cell: nameCell },
            { title: titles.size, isNumber: true, cell: ({ bytes }) => (bytes === null ? '' : bytesText(bytes)) },
            { title: titles.fit, cell: fitCell },
            {
              title: titles.actions,
              cell: ({ name, source, id, isRecommended }) => (
                <button
                  type="button"
                  class={isRecommended ? 'small primary' : 'small'}
                  onClick={() => onChoose({ source, id, ...(hasProjector && { withProjector: true }) })}
                >
                  {words.get} <span class="unseen">{name}</span>
                </button>
              ),
            },
          ]}
          rows={[...models.filter(isRecommended), ...models.filter((model) => !isRecommended(model))]}
          rowKey={({ path }) => path}
        />
      )}
      {leftOut > 0 && <p class="hint">{words.leftOut(leftOut)}</p>}
    </>
  )
}

function Page({ address }: { readonly address: string }) {
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {new URL(address).host}
    </a>
  )
}

const isRecommended = (model: OfferedModel) => model.isRecommended

function factsOf({ license, downloads, contextLength }: Files['repository']): [string, string][] {
  const words = texts.getModel
  return [
    [words.license, license ?? words.unknownLicense],
    ...(downloads === null ? [] : [[words.downloads, downloads.toLocaleString('en')] as [string, string]]),
    ...(contextLength === null ? [] : [[words.context, words.tokens(contextLength)] as [string, string]]),
  ]
}

function nameCell({ name, bits, parts, isRecommended }: OfferedModel) {
  const words = texts.getModel
  return (
    <>
      <span class="row">
        <b>{name}</b>
        {isRecommended && (
          <span class="badge chosen" title={words.recommendedWhy}>
            {words.recommended}
          </span>
        )}
      </span>
      <span class="sub">
        {bits !== null && <span>{words.precision[precisionOf(bits)]}</span>}
        {parts > 1 && <span>{words.parts(parts)}</span>}
      </span>
    </>
  )
}

function precisionOf(bits: number): keyof typeof texts.getModel.precision {
  if (bits < 4) return 'small'
  if (bits < 6) return 'usual'
  return bits < 16 ? 'close' : 'original'
}

const tones: Readonly<Record<'fits' | 'alone' | 'too-large', StateTone>> = {
  ...{ fits: 'ok', alone: 'waiting', 'too-large': 'bad' },
}

function fitCell({ fit }: OfferedModel) {
  const words = texts.getModel
  if (fit === null) return <span class="muted">{words.fitUnknown}</span>
  return (
    <span title={fitText({ fit })}>
      <StateWord tone={tones[fit.verdict]} word={words.fits[fit.verdict]} />
    </span>
  )
}
