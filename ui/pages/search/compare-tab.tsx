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
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'
import { AboutText } from './about-text.tsx'
import { Matrix } from './matrix.tsx'

/** Most texts that a matrix shows legibly */
const maximumTexts = 20

interface EmbeddingsAnswer {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[]
}

interface Compared {
  readonly body: Readonly<Record<string, unknown>> & { readonly input: readonly string[] }
  readonly answer: EmbeddingsAnswer
  readonly requestId: string
}

type InputType = keyof typeof texts.search.inputTypes

export function CompareTab() {
  return <PickedModel types={['embedding']}>{(model) => <Compare key={model.id} model={model} />}</PickedModel>
}

function Compare({ model }: { readonly model: PlayModel }) {
  const [text, setText] = useDraft('compare', texts.search.example)
  const [dimensions, setDimensions] = useState('')
  const [inputType, setInputType] = useState<InputType>('none')
  const call = useCall<Compared>()
  const inputs = linesOf(text)
  const body = {
    model: model.id,
    input: inputs,
    ...(dimensions !== '' && { dimensions: Number(dimensions) }),
    ...(inputType !== 'none' && { input_type: inputType }),
  }

  const compare = () =>
    call.start(async (signal) => {
      const { answer, requestId } = await postJson<EmbeddingsAnswer>('/embeddings', body, signal)
      tell(texts.search.compared(inputs.length))
      return { body, answer, requestId }
    })

  return (
    <div class="stack">
      <CallForm
        call={call}
        model={model.id}
        button={texts.search.compare}
        isReady={inputs.length > 0 && inputs.length <= maximumTexts}
        onSend={compare}
        belowFailure={<AboutText failure={call.failure} inputs={inputs} />}
      >
        <TextArea
          label={texts.search.texts}
          value={text}
          rows={6}
          hint={texts.search.textsHint(inputs.length, maximumTexts)}
          problem={inputs.length > maximumTexts ? texts.search.tooMany(maximumTexts) : undefined}
          onInput={setText}
          onSend={compare}
        />
        <div class="options">
          {model.capabilities.custom_dimensions === true && model.dimensions !== undefined && (
            <Field
              label={texts.search.dimensions}
              name="dimensions"
              type="number"
              min={1}
              max={model.dimensions}
              placeholder={String(model.dimensions)}
              hint={texts.search.dimensionsHint(model.dimensions)}
              value={dimensions}
              onInput={({ currentTarget }) => setDimensions(currentTarget.value)}
            />
          )}
          {model.capabilities.input_type === true && (
            <Select
              label={texts.search.inputType}
              value={inputType}
              choices={texts.search.inputTypes}
              onChange={setInputType}
            />
          )}
        </div>
      </CallForm>
      {call.result !== undefined && <Result model={model} {...call.result} />}
      <CodeDrawer call={{ path: '/embeddings', body }} />
      {call.result !== undefined && <RawDrawer request={call.result.body} response={shortened(call.result.answer)} />}
    </div>
  )
}

function Result({ model, body, answer, requestId }: Compared & { readonly model: PlayModel }) {
  const vectors = [...answer.data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding)
  const dimensions = vectors[0]?.length ?? 0
  const all = model.dimensions ?? dimensions
  return (
    <>
      <Matrix inputs={body.input} vectors={vectors} />
      <RequestFigures
        requestId={requestId}
        own={[
          [
            texts.search.dimensionCount,
            dimensions < all ? texts.search.cut(dimensions, all) : dimensions.toLocaleString('en'),
          ],
        ]}
      />
    </>
  )
}

const shownNumbers = 4

/** Returns the answer with shortened vectors. */
function shortened(answer: EmbeddingsAnswer): object {
  const data = answer.data.map(({ embedding, ...entry }) => ({
    ...entry,
    embedding: [...embedding.slice(0, shownNumbers), texts.search.omitted(embedding.length - shownNumbers)],
  }))
  return { ...answer, data }
}
