import { useState } from 'preact/hooks'
import { tell } from '../../parts/announce.tsx'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { Field } from '../../parts/field.tsx'
import { CallForm } from '../../parts/play/call-form.tsx'
import { PickedModel } from '../../parts/play/picked-model.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { RawDrawer } from '../../parts/play/raw-drawer.tsx'
import { RequestFigures } from '../../parts/play/request-figures.tsx'
import { TextArea } from '../../parts/play/text-area.tsx'
import { postJson, useCall } from '../../parts/play/use-call.ts'
import { linesOf, useDraft } from '../../parts/play/use-draft.ts'
import { texts } from '../../texts/texts.ts'
import { AboutText } from './about-text.tsx'
import { Ranking } from './ranking.tsx'

/** Limit of the server for one request. */
const maximumDocuments = 1_000

interface RerankAnswer {
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[]
}

interface Ranked {
  readonly body: { readonly model: string; readonly query: string; readonly documents: readonly string[] }
  readonly answer: RerankAnswer
  readonly requestId: string
}

export function RankTab() {
  return <PickedModel types={['rerank']}>{(model) => <Rank key={model.id} model={model} />}</PickedModel>
}

function Rank({ model }: { readonly model: PlayModel }) {
  const [query, setQuery] = useState<string>(texts.search.queryExample)
  const [text, setText] = useDraft('search', texts.search.documentsExample)
  const call = useCall<Ranked>()
  const documents = linesOf(text)
  const body = { model: model.id, query: query.trim(), documents }
  const isTooMany = documents.length > maximumDocuments

  const rank = () =>
    call.start(async (signal) => {
      const { answer, requestId } = await postJson<RerankAnswer>('/rerank', body, signal)
      tell(texts.search.ranked(documents.length))
      return { body, answer, requestId }
    })

  return (
    <div class="stack">
      <CallForm
        call={call}
        model={model.id}
        button={texts.search.rank}
        isReady={body.query !== '' && documents.length > 0 && !isTooMany}
        onSend={rank}
        belowFailure={<AboutText failure={call.failure} inputs={documents} />}
      >
        <Field
          label={texts.search.query}
          name="query"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          required
        />
        <TextArea
          label={texts.search.documents}
          value={text}
          rows={6}
          hint={texts.search.documentsHint(documents.length, maximumDocuments)}
          problem={isTooMany ? texts.search.documentsHint(documents.length, maximumDocuments) : undefined}
          onInput={setText}
          onSend={rank}
        />
      </CallForm>
      {call.result !== undefined && (
        <>
          <Ranking documents={call.result.body.documents} results={call.result.answer.results} />
          <RequestFigures requestId={call.result.requestId} />
        </>
      )}
      <CodeDrawer call={{ path: '/rerank', body }} />
      {call.result !== undefined && <RawDrawer request={call.result.body} response={call.result.answer} />}
    </div>
  )
}
